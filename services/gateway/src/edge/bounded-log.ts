// Bounds the lines that refused requests cost: a flood of them must not fill a disk with log. Called by
// answer-error.ts.

import type { Logger } from "@annals/chassis";

const MAX_LINES_PER_S = 20;
const MS_PER_S = 1_000;

export class BoundedLog {
  readonly #log: Logger;
  readonly #now: () => number;
  #second = 0;
  #lines = 0;
  #dropped = 0;

  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** The next line that is written names how many were dropped before it. */
  write(level: "info" | "warn", fields: object, message: string): void {
    const second = Math.floor(this.#now() / MS_PER_S);
    if (second !== this.#second) [this.#second, this.#lines] = [second, 0];
    this.#lines += 1;
    if (this.#lines > MAX_LINES_PER_S) {
      this.#dropped += 1;
      return;
    }
    this.#log[level]({ ...fields, ...(this.#dropped > 0 && { dropped: this.#dropped }) }, message);
    this.#dropped = 0;
  }
}
