// A clock that all processes of the machine read alike, for times from an event in one to an event
// in another. `performance.now()` counts from the start of its process, and `Date` can be set.

/** Milliseconds since an unknown moment, the same in every process, with their fractions. */
export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
