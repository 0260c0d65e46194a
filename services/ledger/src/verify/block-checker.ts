// Checks blocks of chains inside PostgreSQL for the VerifyChain handler, a few at a time for all
// verifications of the process together, so that any number of them leaves connections and
// processors to appends. It must never call a block whole that was not recomputed; a block that it
// does not call whole may be whole all the same.

import type { Database } from "@annals/postgres";
import type { WholeBlock } from "../domain/chain-verifier.ts";
import { checkBlock } from "../store/check-block.ts";

/** Statements under way: two keep a processor of PostgreSQL busy while the other is being answered. */
const LANES = 2;

/** SQLSTATE classes: data that PostgreSQL cannot read as what it has to be, or nested too deeply for it. */
const ABOUT_THE_DATA = ["22", "54"];

export class BlockChecker {
  readonly #database: Database;
  readonly #waiting: (() => void)[] = [];
  #free = LANES;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Resolves to the block where all of its rows are there and whole, linked from the first to the
   * last, else to undefined. What the first row links to is for the caller to compare.
   */
  async check(
    accountId: string,
    { from, to }: { readonly from: number; readonly to: number },
    signal: AbortSignal,
  ): Promise<WholeBlock | undefined> {
    await this.#enter();
    try {
      signal.throwIfAborted();
      const [row] = await this.#database.run(checkBlock, [accountId, String(from), String(to)]);
      const size = to - from + 1;
      if (!row?.previous_hash || !row.hash) return undefined;
      if (Number(row.rows) !== size || Number(row.whole) !== size) return undefined;
      const hash = row.hash.toString("hex");
      return { from, to, previousHash: row.previous_hash.toString("hex"), hash };
    } catch (error) {
      if (isAboutTheData(error)) return undefined;
      throw error;
    } finally {
      this.#leave();
    }
  }

  #enter(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

function isAboutTheData(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const code = String(error.code);
  return ABOUT_THE_DATA.some((class_) => code.startsWith(class_));
}
