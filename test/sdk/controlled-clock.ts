// A clock for the SDK that moves only when a test moves it, so that a minute without the network takes no
// time.

import type { Clock } from "@annals/sdk";
import { eventually } from "@annals/testing";

interface Wait {
  readonly due: number;
  readonly end: () => void;
}

export class ControlledClock implements Clock {
  #now = Date.parse("2026-01-31T09:30:00Z");
  readonly #waits = new Set<Wait>();

  now(): number {
    return this.#now;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waits.delete(wait);
        resolve();
      };
      const wait = { due: this.#now + ms, end };
      if (signal?.aborted === true) return resolve();
      this.#waits.add(wait);
      signal?.addEventListener("abort", end);
    });
  }

  /**
   * Waits until a caller waits, and lets the time of the first of them come. Resolves to its length.
   */
  async next(): Promise<number> {
    await eventually("a wait", () => this.#waits.size > 0);
    const [first] = Array.from(this.#waits).toSorted((a, b) => a.due - b.due);
    if (!first) throw new Error("no caller waits");
    const passed = Math.max(0, first.due - this.#now);
    this.#now += passed;
    first.end();
    return passed;
  }

  /** Lets waits come until the promise is settled. */
  async during<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    const end = (): void => void (isDone = true);
    promise.then(end, end);
    for (;;) {
      await eventually("a wait, or the end", () => isDone || this.#waits.size > 0);
      if (isDone) return promise;
      await this.next();
    }
  }

  /** Waits until a caller waits, and lets all of this time pass at once. */
  async leap(ms: number): Promise<void> {
    await eventually("a wait", () => this.#waits.size > 0);
    this.#now += ms;
    for (const { due, end } of this.#waits) if (due <= this.#now) end();
  }

  /** Lets waits come, one after the other, until so much time has passed. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    while (this.#now < until) await this.next();
  }
}
