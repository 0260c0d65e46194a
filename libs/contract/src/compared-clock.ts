// A clock that is compared with another one: that of the database, from which a service reads it itself
// (libs/postgres/src/database-clock.ts), and a gateway in the responses of keys. Between two comparisons the
// monotonic clock goes on, so a step of the system's clock is seen at the next reading, without a question.
// It must never call a clock wrong that the time of a round trip may explain.

import { type Clock, CLOCK_TOLERANCE_S, type DatabaseClock, systemClock } from "./clock.ts";
import { formatMicros } from "./timestamps.ts";

const US_PER_S = 1_000_000;
const US_PER_MS = 1_000;
const TOLERANCE_US = CLOCK_TOLERANCE_S * US_PER_S;

/** What the other clock showed at some moment between two readings of the monotonic clock. */
interface Comparison {
  readonly micros: number;
  readonly beforeMs: number;
  readonly afterMs: number;
}

export class ComparedClock implements Clock {
  readonly #clock: Clock;
  readonly #monotonicMs: () => number;
  #last: Comparison | undefined;
  #onFault = (): void => {};

  constructor(clock: Clock = systemClock(), monotonicMs: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#monotonicMs = monotonicMs;
  }

  /** Begins a comparison; the function that it returns ends it with the time of the other clock. */
  begin(): (otherMicros: number) => void {
    const beforeMs = this.#monotonicMs();
    return (micros) => {
      this.#last = { micros, beforeMs, afterMs: this.#monotonicMs() };
    };
  }

  /** Calls `onFault` each time that someone asks while the two differ, or were never compared. */
  watch(onFault: () => void): void {
    this.#onFault = onFault;
  }

  readonly nowMicros = (): number => this.#clock.nowMicros();

  readonly nowText = (): string => this.#clock.nowText();

  /** Whether it was compared since the process began. */
  get isCompared(): boolean {
    return this.#last !== undefined;
  }

  readonly fault = (): string | undefined => {
    const fault = this.#fault();
    if (fault !== undefined) this.#onFault();
    return fault;
  };

  #fault(): string | undefined {
    const other = this.#other();
    if (!other) return "the clock has not been compared with the database's yet";
    const now = this.nowMicros();
    const isRight = now >= other.earliest - TOLERANCE_US && now <= other.latest + TOLERANCE_US;
    if (isRight) return undefined;
    const by = Math.abs(now - middleOf(other)) / US_PER_S;
    const side = now > other.latest ? "ahead of" : "behind";
    return `the clock is ${by.toFixed(1)} s ${side} the database's, more than ${CLOCK_TOLERANCE_S} s`;
  }

  /** Seconds by which it is ahead; 0 before the first comparison. */
  offsetS(): number {
    const other = this.#other();
    return other ? (this.nowMicros() - middleOf(other)) / US_PER_S : 0;
  }

  /** The latest time that a clock within the tolerance may show now. */
  readonly latestMicros = (): number =>
    Math.max(this.nowMicros(), Math.ceil(this.#other()?.latest ?? 0)) + TOLERANCE_US;

  /** The other clock. Throws while the two differ: then neither is known to be right. */
  readonly other: DatabaseClock = {
    isOfDatabase: true,
    nowMicros: () => {
      const fault = this.fault();
      const other = this.#other();
      if (fault !== undefined || !other) throw new Error(fault);
      return Math.floor(middleOf(other));
    },
    nowText: () => formatMicros(this.other.nowMicros()),
    fault: () => this.fault(),
  };

  /**
   * Microseconds that the other clock shows now, for the age of what is stored, which no step of this one
   * changes. Its own time before the first comparison.
   */
  readonly otherMicros = (): number => {
    const other = this.#other();
    return other ? Math.floor(middleOf(other)) : this.nowMicros();
  };

  /** What the other clock shows now: it is between the two. */
  #other(): { readonly earliest: number; readonly latest: number } | undefined {
    if (!this.#last) return undefined;
    const { afterMs, beforeMs, micros } = this.#last;
    const now = this.#monotonicMs();
    return {
      earliest: micros + (now - afterMs) * US_PER_MS,
      latest: micros + (now - beforeMs) * US_PER_MS,
    };
  }
}

function middleOf({ earliest, latest }: { readonly earliest: number; readonly latest: number }) {
  return (earliest + latest) / 2;
}
