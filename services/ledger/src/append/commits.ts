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

/** Whether the head was moved, or that the chain needs a statement of its own. */
type Stored = boolean | "apart";

export class Commits {
  readonly #database: Pool;
  readonly #planned: Batcher<PlannedAppend, Stored>;
  /**
   * False once tables are known to be distributed, or the database has refused a statement for several
   * chains.
   */
  #sharesTransactions = true;

  constructor(database: Pool, metrics: BatcherMetrics) {
    this.#database = database;
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
    const stored = this.#sharesTransactions ? await this.#planned.submit(planned) : "apart";
    return stored === "apart" ? storeOne(this.#database, planned) : stored;
  }

  async #storeAll(
    planned: readonly PlannedAppend[],
  ): Promise<readonly PromiseSettledResult<Stored>[]> {
    const [first] = planned;
    const isAlone = first !== undefined && planned.length === 1;
    // For a single event the function costs less, for many the statement.
    if (isAlone && first.plan.events.length === 1)
      return Promise.allSettled([storeOne(this.#database, first)]);
    // Citus refuses the statement, and its connection then runs no function on a worker any longer.
    if (await isDistributed(this.#database)) return this.#apart(planned);
    const database = isAlone
      ? this.#database.forAccount(appendsOf(first.accountId))
      : this.#database;
    try {
      const rows = await database.run(appendToChains, appendToChainsParams(planned));
      const moved = new Set(rows.map((row) => row.account_id));
      return planned.map(({ accountId }) => ({ status: "fulfilled", value: moved.has(accountId) }));
    } catch (error) {
      // The plans may have been stored.
      if (error instanceof AnnalsError) throw error;
      // PostgreSQL refused the statement, or the data of one chain, and stored nothing of any chain. Each
      // goes alone, so that none waits for the lock of another.
      return this.#apart(planned, isUnsupported(error));
    }
  }

  #apart(
    planned: readonly PlannedAppend[],
    isOver = true,
  ): readonly PromiseSettledResult<Stored>[] {
    if (isOver) this.#sharesTransactions = false;
    return planned.map(() => ({ status: "fulfilled", value: "apart" }));
  }
}

async function storeOne(database: Pool, planned: PlannedAppend): Promise<boolean> {
  const [row] = await database
    .forAccount(appendsOf(planned.accountId))
    .run(appendEvents, appendParams(planned));
  return row?.stored === true;
}
