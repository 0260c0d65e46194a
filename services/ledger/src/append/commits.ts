// Stores groups of appends that were planned on cached heads. Chains share transactions: groups that arrive
// together, or while all concurrency slots are taken, go in one statement for all their chains. If tables
// are distributed, each chain has its own statement. Called by flush.ts. No chain must wait for the lock of
// another, or fail because of another.

import { Batcher, type BatcherMetrics } from "@annals/rpc";
import { AnnalsError } from "@annals/errors";
import { isDistributed, isUnsupported, type Pool } from "@annals/postgres";
import { weightOf } from "./rules/prepare-append.ts";
import { appendEvents, appendParams, type PlannedAppend } from "./store/append-events.ts";
import { appendToChains, appendToChainsParams } from "./store/append-to-chains.ts";

/**
 * The name under which the pool counts an account's appends: apart from its reads, which may take the whole
 * share of the account. A chain has one transaction at a time.
 */
export const appendsOf = (accountId: string): string => `append to ${accountId}`;

/** Maximum statements in flight. */
const CONCURRENCY = 4;
/** Maximum bytes of a statement for several chains, so that a small group does not wait for large ones. */
export const MAX_SHARED_BYTES = 128 * 1024;

/** What became of a plan. Only the first one stores anything. */
type Outcome = "stored" | "head_moved" | "needs_own_statement";

export class Commits {
  readonly #database: Pool;
  readonly #idempotencyHours: number;
  readonly #planned: Batcher<PlannedAppend, Outcome>;
  /**
   * False once tables are known to be distributed, or the database has refused a statement for several
   * chains.
   */
  #sharesTransactions = true;

  constructor(database: Pool, metrics: BatcherMetrics, idempotencyHours: number) {
    this.#database = database;
    this.#idempotencyHours = idempotencyHours;
    this.#planned = new Batcher({
      name: "commit",
      work: (planned) => this.#storeAll(planned),
      weigh: ({ plan }) => weightOf(plan.appends),
      maxGroup: MAX_SHARED_BYTES,
      concurrency: CONCURRENCY,
      // The queues of the chains bound it.
      maxWaiting: Infinity,
      metrics,
    });
  }

  /** Takes one plan per chain at a time. Resolves to false, with nothing stored, if the head has moved. */
  async store(planned: PlannedAppend): Promise<boolean> {
    let outcome: Outcome = "needs_own_statement";
    if (this.#sharesTransactions) outcome = await this.#planned.submit(planned);
    if (outcome === "needs_own_statement") outcome = await this.#storeOne(planned);
    return outcome === "stored";
  }

  async #storeAll(
    planned: readonly PlannedAppend[],
  ): Promise<readonly PromiseSettledResult<Outcome>[]> {
    const [first] = planned;
    const isAlone = first !== undefined && planned.length === 1;
    // For a single event the function costs less, for many the statement.
    if (isAlone && first.plan.events.length === 1)
      return Promise.allSettled([this.#storeOne(first)]);
    // Citus refuses the statement, and its connection then runs no function on a worker any longer.
    if (await isDistributed(this.#database)) return this.#leaveApart(planned);
    const database = isAlone
      ? this.#database.forAccount(appendsOf(first.accountId))
      : this.#database;
    try {
      const params = appendToChainsParams(planned, this.#idempotencyHours);
      const rows = await database.run(appendToChains, params);
      const stored = new Set(rows.map((row) => row.account_id));
      return planned.map(({ accountId }) => fulfilled(outcomeOf(stored.has(accountId))));
    } catch (error) {
      // The plans may have been stored.
      if (error instanceof AnnalsError) throw error;
      // PostgreSQL refused the statement, or the data of one chain, and stored nothing of any chain. Each
      // goes alone, so that none waits for the lock of another.
      return this.#leaveApart(planned, isUnsupported(error));
    }
  }

  async #storeOne(planned: PlannedAppend): Promise<Outcome> {
    const [row] = await this.#database
      .forAccount(appendsOf(planned.accountId))
      .run(appendEvents, appendParams(planned, this.#idempotencyHours));
    return outcomeOf(row?.stored === true);
  }

  /** Leaves each chain to a statement of its own; if `isPermanent`, all later ones, too. */
  #leaveApart(
    planned: readonly PlannedAppend[],
    isPermanent = true,
  ): readonly PromiseSettledResult<Outcome>[] {
    if (isPermanent) this.#sharesTransactions = false;
    return planned.map(() => fulfilled("needs_own_statement"));
  }
}

const outcomeOf = (isStored: boolean): Outcome => (isStored ? "stored" : "head_moved");

function fulfilled(value: Outcome): PromiseSettledResult<Outcome> {
  return { status: "fulfilled", value };
}
