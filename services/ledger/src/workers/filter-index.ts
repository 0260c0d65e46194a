// Keeps the filter index of all chains up to date with their heads, away from the append path, for as long as
// the process runs. Any number of replicas may do it at the same time. Nothing waits for it: events that are
// not indexed yet are only slower to search.

import type { Database } from "@annals/postgres";
import { CHUNK_SIZE } from "../domain/chunk.ts";
import { findIndexWork, type IndexWorkRow } from "../store/find-index-work.ts";
import { indexChunk } from "../store/index-chunk.ts";

/** Time from the end of a run to the beginning of the next, unless an account needs another turn. */
export const DELAY_MS = 1_000;

/** Accounts of one run. The next run continues after them, and starts over after the last account. */
const ACCOUNTS = 1_000;

/** Chunks of one account before the next account has its turn: a quarter of a second of PostgreSQL. */
const TURN_CHUNKS = 8;

export interface FilterIndexDeps {
  readonly database: Database;
  /** Called after the last account with the number of events in complete chunks that the index lacks. */
  readonly lag: (events: number) => void;
  /** Whether it only measures the lag. */
  readonly isPaused: boolean;
}

export class FilterIndex {
  readonly #deps: FilterIndexDeps;
  #after = "";
  #lacking = 0;

  constructor(deps: FilterIndexDeps) {
    this.#deps = deps;
  }

  /**
   * Makes one run, for a loop. Resolves to the delay before the next. An account whose chunk cannot be
   * indexed does not keep others from their turn.
   */
  async run(signal: AbortSignal): Promise<number> {
    const accounts = await this.#deps.database.run(findIndexWork, [this.#after, ACCOUNTS]);
    let isBehind = false;
    const failures: unknown[] = [];
    for (const account of accounts) {
      if (signal.aborted) return 0;
      const indexed = await this.#giveTurn(account, signal).catch((error: unknown) => {
        failures.push(error);
        return 0;
      });
      isBehind ||= indexed === TURN_CHUNKS;
      this.#lacking += Number(account.end_chunk) - Number(account.next_chunk) - indexed;
    }
    const last = accounts.length < ACCOUNTS ? undefined : accounts.at(-1);
    this.#after = last?.account_id ?? "";
    if (!last) {
      this.#deps.lag(this.#lacking * CHUNK_SIZE);
      this.#lacking = 0;
    }
    if (failures.length > 0) throw failures[0];
    return isBehind ? 0 : DELAY_MS;
  }

  /** Resolves to the number of indexed chunks: fewer if another replica indexes, or events are missing. */
  async #giveTurn(account: IndexWorkRow, signal: AbortSignal): Promise<number> {
    const first = Number(account.next_chunk);
    if (this.#deps.isPaused) return 0;
    const end = Math.min(first + TURN_CHUNKS, Number(account.end_chunk));
    for (let chunk = first; chunk < end; chunk += 1) {
      if (signal.aborted) return chunk - first;
      const [indexed] = await this.#deps.database.run(indexChunk, [
        account.account_id,
        String(chunk),
      ]);
      if (indexed?.added !== true) return chunk - first;
    }
    return end - first;
  }
}
