// The clock that services get as a dependency. Nothing else in the product reads a clock. It is for instants
// that are kept or shown. A duration is measured by performance.now(), which no step of the clock moves.

import { formatMicros } from "./timestamps.ts";

export interface Clock {
  /** Microseconds since the Unix epoch. Less than the previous result only after a large step back. */
  nowMicros(): number;
  /** The same instant as the interface's text: UTC, `Z`, six fraction digits. */
  nowText(): string;
  /** Says why the time must not be used; undefined: it may. Absent if nothing is known of the clock. */
  readonly fault?: () => string | undefined;
  /** The latest time that another right clock may show now. Absent: `nowMicros` and the tolerance. */
  readonly latestMicros?: () => number;
}

/**
 * The clock of the database, by which everything goes that deletes (docs/adr/0072-clocks-are-compared.md).
 * Each reading throws while the process's own clock differs from it.
 */
export interface DatabaseClock extends Clock {
  /** Marks it: the compiler refuses the clock of a process for what deletes. */
  readonly isOfDatabase: true;
}

/** Throws while the clock is wrong: for work that deletes, which is done later. */
export function assertRight({ fault }: Pick<Clock, "fault">): void {
  const reason = fault?.();
  if (reason !== undefined) throw new Error(reason);
}

/** Seconds by which the clock of a process may differ from that of the database. */
export const CLOCK_TOLERANCE_S = 5;

/** What the clock of the system is read from; a test gives its own. */
export interface TimeSource {
  /** Milliseconds since 1970, which the system may step. */
  readonly wallMs: () => number;
  /** Milliseconds since `originMs`, which nothing steps, with a finer resolution. */
  readonly monotonicMs: () => number;
  /** The wall clock when `monotonicMs` began. */
  readonly originMs: number;
}

const SYSTEM: TimeSource = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  originMs: performance.timeOrigin,
};

/**
 * The wall clock of this process, with the resolution of the monotonic clock. It pauses while a step
 * back of up to {@link CLOCK_TOLERANCE_S} passes, as NTP makes them. It follows larger steps back and all
 * steps forward at once, so that it is right as soon as the system's clock is.
 */
export function systemClock(source: TimeSource = SYSTEM): Clock {
  let last = 0;
  const nowMicros = (): number => {
    // The monotonic clock drifts from the wall clock, which corrects it.
    const fine = (source.originMs + source.monotonicMs()) * 1000;
    const coarse = source.wallMs() * 1000;
    const now = Math.floor(Math.abs(fine - coarse) < MAX_DRIFT_US ? fine : coarse);
    if (now > last || last - now > CLOCK_TOLERANCE_US) last = now;
    return last;
  };
  return { nowMicros, nowText: () => formatMicros(nowMicros()) };
}

const CLOCK_TOLERANCE_US = CLOCK_TOLERANCE_S * 1_000_000;

/** Beyond this difference the monotonic clock has drifted from the wall clock (a step, a suspend). */
const MAX_DRIFT_US = 20_000;
