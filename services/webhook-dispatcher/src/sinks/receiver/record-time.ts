// The times of records as the receivers want them. Called by the receivers that have a field for the time. A
// time is never turned into a Date and back: the six fraction digits would become three.

/** Length of `2026-11-27T13:53:47`; `.123456Z` follows. */
const SECONDS_LENGTH = 19;
const NANOS_PER_SECOND = 1_000_000_000n;
const NANOS_PER_MICRO = 1_000n;
const MAX_UINT64 = 2n ** 64n - 1n;

/** Returns the seconds since 1970, with the six fraction digits. Before 1970 it is 0. */
export function epochSeconds(at: string): string {
  const [seconds, fraction] = parts(at);
  return seconds < 0 ? "0" : `${seconds}.${fraction}`;
}

/** Returns the nanoseconds since 1970; 0, which means unknown, if 64 bits cannot have them. */
export function epochNanos(at: string): bigint {
  const [seconds, fraction] = parts(at);
  const nanos = BigInt(seconds) * NANOS_PER_SECOND + BigInt(fraction) * NANOS_PER_MICRO;
  return nanos < 0n || nanos > MAX_UINT64 ? 0n : nanos;
}

function parts(at: string): readonly [seconds: number, fraction: string] {
  const seconds = Date.parse(`${at.slice(0, SECONDS_LENGTH)}Z`) / 1_000;
  return [seconds, at.slice(SECONDS_LENGTH + 1, -1)];
}
