// The clock of the driver: it moves only when a command moves it, from one wait of the client to the next.

import type { Clock } from "@annals/sdk";

interface Wait {
  readonly due: number;
  readonly end: () => void;
}

export class DriverClock implements Clock {
  time: number;
  readonly #waits = new Set<Wait>();
  readonly #shown: number | undefined;

  /** One that is paused ends waits, but shows no other time. */
  constructor(isPaused = false, start = "2026-01-31T09:30:00Z") {
    this.time = Date.parse(start);
    this.#shown = isPaused ? this.time : undefined;
  }

  get isWaitedFor(): boolean {
    return this.#waits.size > 0;
  }

  now(): number {
    return this.#shown ?? this.time;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const end = (): void => {
        this.#waits.delete(wait);
        resolve();
      };
      const wait = { due: this.time + ms, end };
      this.#waits.add(wait);
      signal?.addEventListener("abort", end);
    });
  }

  /** Moves to the first wait that is due until then, and ends it. False if none is. */
  step(until: number): boolean {
    const [first] = [...this.#waits].toSorted((a, b) => a.due - b.due);
    if (first === undefined || first.due > until) {
      this.time = until;
      return false;
    }
    this.time = Math.max(this.time, first.due);
    first.end();
    return true;
  }
}
