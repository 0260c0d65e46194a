// Checks blocks of chains inside PostgreSQL, two at a time for all verifications of the process, so that any
// number of them leaves connections and CPU to appends. Called by verify-range.ts. It must never report a
// block as valid that was not recomputed; a block that it does not report as valid may still be.

import type { Database } from "@annals/postgres";
import { Batcher } from "@annals/rpc";
import type { WholeBlock } from "../domain/chain-verifier.ts";
import { checkBlock } from "../store/check-block.ts";

/** Statements at a time: one keeps a CPU of PostgreSQL busy while the result of the other travels. */
const CONCURRENCY = 2;

/**
 * SQLSTATE classes: data that PostgreSQL cannot parse as the type that it has to be, or too deeply nested.
 */
const ABOUT_THE_DATA = ["22", "54"];

interface Asked {
  readonly accountId: string;
  /** Both ends included. */
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal;
}

export class BlockChecker {
  readonly #queue: Batcher<Asked, WholeBlock | undefined>;

  constructor(database: Database) {
    this.#queue = new Batcher({
      work: (asked) => Promise.allSettled(asked.map((one) => check(database, one))),
      maxGroup: 1,
      concurrency: CONCURRENCY,
      // Bounded by the verifications, each of which submits a few.
      maxWaiting: Infinity,
    });
  }

  /**
   * Resolves to the block where all of its rows are there and valid, linked from the first to the
   * last, else to undefined. What the first row links to is for the caller to compare.
   */
  check(
    accountId: string,
    { from, to }: { readonly from: number; readonly to: number },
    signal: AbortSignal,
  ): Promise<WholeBlock | undefined> {
    return this.#queue.submit({ accountId, from, to, signal });
  }
}

async function check(
  database: Database,
  { accountId, from, to, signal }: Asked,
): Promise<WholeBlock | undefined> {
  signal.throwIfAborted();
  try {
    const [row] = await database.run(checkBlock, [accountId, String(from), String(to)]);
    const size = to - from + 1;
    if (!row?.previous_hash || !row.hash) return undefined;
    if (Number(row.rows) !== size || Number(row.valid) !== size) return undefined;
    const hash = row.hash.toString("hex");
    return { from, to, previousHash: row.previous_hash.toString("hex"), hash };
  } catch (error) {
    if (isAboutTheData(error)) return undefined;
    throw error;
  }
}

function isAboutTheData(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const code = String(error.code);
  return ABOUT_THE_DATA.some((class_) => code.startsWith(class_));
}
