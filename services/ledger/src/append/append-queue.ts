// The append path: group commit, by default with no timer. Appends to one chain are batched while an earlier
// group of that chain is being stored; a group is stored in one transaction, which locks the head. Chains do
// not wait for each other. Called by append-outcome.ts, and for records by the nouns that decide them. It
// must never respond before PostgreSQL has committed, and never retry what may have been stored.

import { DEFAULT_IDEMPOTENCY_HOURS } from "@annals/chassis";
import { Slots } from "@annals/contract";
import { KeyedBatcher } from "@annals/rpc";
import type { Replayed, Stored } from "./rules/plan-flush.ts";
import type { PreparedAppend } from "./rules/prepare-append.ts";
import { GrownChains } from "./grown-chains.ts";
import { appendRecord, type Decide } from "./append-record.ts";
import { Commits } from "./commits.ts";
import { flush, type FlushDeps } from "./flush.ts";
import { HeadCache } from "./head-cache.ts";

/** Maximum bytes that one transaction stores. A single append may be larger. */
const MAX_FLUSH_BYTES = 4 * 1024 * 1024;

/**
 * Groups stored at a time, over all chains, that are too large to share a statement: half as many as commits
 * have, so that accounts with large batches, however many, never make small appends wait for a slot.
 */
const LARGE_GROUPS = 2;

/**
 * Maximum bytes that wait for one chain, and that are held for all chains together. Beyond them, new appends
 * are refused.
 */
const MAX_WAITING_BYTES_OF_CHAIN = 16 * 1024 * 1024;
const MAX_HELD_BYTES = 64 * 1024 * 1024;

export class AppendQueue {
  readonly #chains: KeyedBatcher<PreparedAppend, Stored | Replayed>;
  readonly #deps: FlushDeps;

  /** `gatherMs` is how long a group waits for more appends to its chain. */
  constructor({
    gatherMs = 0,
    grown = new GrownChains(),
    idempotencyHours = DEFAULT_IDEMPOTENCY_HOURS,
    ...given
  }: Omit<FlushDeps, "commits" | "grown" | "heads" | "idempotencyHours" | "large"> & {
    readonly gatherMs?: number;
    readonly grown?: GrownChains;
    readonly idempotencyHours?: number;
  }) {
    const { batcher } = given.metrics;
    const commits = new Commits(given.database, batcher("ledger_commits"), idempotencyHours);
    const deps = {
      ...given,
      commits,
      grown,
      heads: new HeadCache(),
      idempotencyHours,
      large: new Slots({ total: LARGE_GROUPS }),
    };
    this.#deps = deps;
    this.#chains = new KeyedBatcher({
      name: "append-to-chain",
      work: (accountId, appends) => flush(deps, accountId, appends),
      weigh: ({ weight }) => weight,
      maxGroup: MAX_FLUSH_BYTES,
      concurrency: 1,
      gatherMs,
      maxWaiting: MAX_WAITING_BYTES_OF_CHAIN,
      maxWeight: MAX_HELD_BYTES,
      metrics: batcher("ledger_appends"),
    });
  }

  /** Resolves when the append is committed, or found to be a replay. Rejects with AnnalsErrors. */
  submit(append: PreparedAppend): Promise<Stored | Replayed> {
    return this.#chains.submit(append.accountId, append);
  }

  /** Appends a record of the service with what it decides; see append-record.ts. */
  record<Result>(accountId: string, decide: Decide<Result>): Promise<Result | undefined> {
    return appendRecord(this.#deps, accountId, decide);
  }
}
