// What the worker of the anchors needs, for witnesses, time stamps and the bucket, and what these share:
// their rows, and how they report that one is overdue. Called by the other files of this folder.

import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import type { LockedBucket } from "../locked-bucket.ts";
import type { WitnessTarget } from "../rules/witness-targets.ts";
import { type AnchorKind, type AnchorRow, createAnchors, listAnchors } from "../store/anchors.ts";
import type { Metrics } from "../../metrics.ts";

/** After a failure an anchor is asked again after as long as it has failed, within these bounds. */
export const BACKOFF_S = [60, 600] as const;

export type AnchorLedger = Pick<
  Client<typeof LedgerService>,
  "addAnchor" | "listAnchorWork" | "readHeadLog"
>;

/** The newest checkpoint, and the proofs for it. */
export type AnchorWork = Awaited<ReturnType<AnchorLedger["listAnchorWork"]>>;

export interface AnchorsDeps {
  /** Undefined: the log is kept in no bucket. */
  readonly bucket: LockedBucket | undefined;
  readonly database: Database;
  /** The clock of the database, by which epochs are closed. */
  readonly databaseMicros: () => number;
  readonly extraAuthorities: string | undefined;
  readonly ledger: AnchorLedger;
  readonly log: Logger;
  /** Between two time stamps, and between two checkpoints in the bucket. */
  readonly logAnchorIntervalS: number;
  /** Undefined: no time stamps are made. */
  readonly logTsaUrl: string | undefined;
  readonly metrics: Pick<Metrics, "anchorLag" | "failures" | "witnessRequests">;
  readonly random: (size: number) => Uint8Array;
  readonly witnesses: () => readonly WitnessTarget[];
  /** Between two requests to a witness. */
  readonly witnessIntervalS: number;
}

/** The rows of these targets, which are made if they are not there. */
export async function anchorRows(
  database: Database,
  kind: AnchorKind,
  names: readonly string[],
): Promise<readonly AnchorRow[]> {
  const rows = await database.run(listAnchors, [kind, names]);
  if (rows.length === names.length) return rows;
  await database.run(createAnchors, [kind, names]);
  return database.run(listAnchors, [kind, names]);
}

/**
 * `since`: when the oldest epoch without the anchor was closed, or served for a bucket; empty if there is no
 * such epoch. It waits for the next request as long as an interval; beyond that it is late.
 */
export function reportLag(
  { databaseMicros, metrics }: Pick<AnchorsDeps, "databaseMicros" | "metrics">,
  kind: AnchorKind,
  since: string,
  intervalS: number,
): void {
  const waited = databaseMicros() / 1e6 - Date.parse(since) / 1e3;
  metrics.anchorLag.set({ kind }, since === "" ? 0 : Math.max(0, waited - intervalS));
}
