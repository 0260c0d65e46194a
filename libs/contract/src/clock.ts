// The clock that services get as a dependency. Nothing else in the product reads a clock.

import { formatMicros } from "./timestamps.ts";

export interface Clock {
  /** Microseconds since the Unix epoch; never less than the previous result. */
  nowMicros(): number;
  /** The same instant as the interface's text: UTC, `Z`, six fraction digits. */
  nowText(): string;
}

/**
 * The wall clock of this process, with the resolution of the monotonic clock. Follows clock steps
 * forward only.
 */
export function systemClock(): Clock {
  let last = 0;
  const nowMicros = (): number => {
    // performance.now() counts from timeOrigin at sub-millisecond resolution; Date.now() corrects its drift.
    const fine = (performance.timeOrigin + performance.now()) * 1000;
    const coarse = Date.now() * 1000;
    const now = Math.floor(Math.abs(fine - coarse) < MAX_DRIFT_US ? fine : coarse);
    last = Math.max(last, now);
    return last;
  };
  return { nowMicros, nowText: () => formatMicros(nowMicros()) };
}

/** Beyond this difference the monotonic clock has drifted from the wall clock (a step, a suspend). */
const MAX_DRIFT_US = 20_000;
