// Bounds the lines that refusals cost: a flood of requests, calls or connections must not fill a disk with
// log. Called where a caller can repeat the cause of a line at will.

import type { Logger } from "./log.ts";

const LINES_PER_S = 20;
const MS_PER_S = 1_000;

export class BoundedLog {
  readonly #log: Pick<Logger, "info" | "warn">;
  readonly #linesPerS: number;
  readonly #now: () => number;
  /** Start of the current second, which began with its first line. */
  #since = -Infinity;
  #lines = 0;
  #dropped = 0;

  constructor(
    log: Pick<Logger, "info" | "warn">,
    { linesPerS = LINES_PER_S, now = () => performance.now() } = {},
  ) {
    this.#log = log;
    this.#linesPerS = linesPerS;
    this.#now = now;
  }

  /**
   * Returns whether the line was written. The next one that is written names how many were dropped before it.
   */
  write(level: "info" | "warn", fields: object, message: string): boolean {
    const now = this.#now();
    if (now - this.#since >= MS_PER_S) [this.#since, this.#lines] = [now, 0];
    if (this.#lines >= this.#linesPerS) {
      this.#dropped += 1;
      return false;
    }
    this.#lines += 1;
    this.#log[level]({ ...fields, ...(this.#dropped > 0 && { dropped: this.#dropped }) }, message);
    this.#dropped = 0;
    return true;
  }
}
