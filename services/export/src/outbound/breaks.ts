// Breaks of calls to the ledger: a replica that drains, a connection at its maximum age, a deadline. A caller
// waits after each, and fails after too many in a row. Called by read-events.ts and read-log.ts.

import { AnnalsError } from "@annals/errors";
import { setTimeout as pause } from "node:timers/promises";

/** Consecutive breaks, without progress between them, after which reading fails: about 20 seconds. */
const MAX_BREAKS = 8;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

export class Breaks {
  readonly #signal: AbortSignal;
  #count = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Called when something has arrived. */
  end(): void {
    this.#count = 0;
  }

  /** Resolves when the caller may try again. Rejects with `error` if that does not help. */
  async wait(error: unknown): Promise<void> {
    this.#signal.throwIfAborted();
    if (!(error instanceof AnnalsError) || error.kind !== "unavailable") throw error;
    this.#count += 1;
    if (this.#count > MAX_BREAKS) throw error;
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** this.#count, MAX_BACKOFF_MS);
    await pause(backoffMs, undefined, { signal: this.#signal });
  }
}
