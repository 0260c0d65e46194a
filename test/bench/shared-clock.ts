// A clock that is the same in all processes of the machine, for durations between two of them. Called by the
// webhook measurements. `performance.now()` counts from the start of its process, and `Date` can be set.

/** Milliseconds since an arbitrary moment, with fractions, the same in every process. */
export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
