// What a case of a statement is: parameters for an account, or for several. Called by the files of this
// folder, and by parameters.ts, which makes the runs of each case.

import type { ChainedRow } from "../seeds/chain.ts";

/** What a run is for. */
export interface Subject {
  readonly account: string;
  /** Accounts of a statement of some accounts; the account is the first of them. */
  readonly accounts: readonly string[];
  /** The server of the account. */
  readonly worker: number;
  /** Number of shards that have the accounts. */
  readonly shards: number;
  /** The number of one of the account's deliveries by its place: see seeds/webhooks.ts. */
  readonly delivery: (place: number) => string;
  /** The number of one of the account's audit entries by its place: see seeds/audit.ts. */
  readonly entry: (place: number) => string;
  /** The chain that the account has; empty for an account without rows. */
  readonly chain: readonly ChainedRow[];
}

export type Params = readonly unknown[];

/** Parameters without a null, and with any value for a boolean: the other values are tried by themselves. */
export type Case = ((subject: Subject) => Params) | CaseAfter;

/** A case that needs other rows than the seeds: the statement is run before, on both databases. */
export interface CaseAfter {
  readonly before: (subject: Subject) => string;
  readonly params: (subject: Subject) => Params;
}

/** By the name of the statement. */
export type Cases = Readonly<Record<string, readonly Case[]>>;

/** Names the heads of a proposed epoch. */
export const PROPOSAL = "00000000-0000-4000-8000-000000000001";

/** Times that never lie on the other side of the clock. */
export const LONG_AGO = "2020-01-31T09:30:00.000000Z";
export const LATER = "2020-02-29T09:30:00.000000Z";
export const FUTURE = "2099-01-31T09:30:00.000000Z";
/** Times to count from: the clock's, and one after every time of the seeds. */
export const CLOCK = "-infinity";
export const LAST = "2100-01-01T00:00:00.000000Z";
