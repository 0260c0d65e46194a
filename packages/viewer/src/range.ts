// The ranges of time that a reader can choose without writing times. Used by the element and its view. It
// counts whole minutes, as bars do.

import type { EventFilter } from "./types.ts";

const MINUTE_MS = 60_000;

/** The spans that end now: their sizes, and the unit that names them. */
export const SPANS = [
  [60, "minute"],
  [24, "hour"],
  [7, "day"],
  [30, "day"],
  [90, "day"],
  [365, "day"],
] as const;

const MINUTES = { minute: 1, hour: 60, day: 1_440 } as const;

/**
 * What is chosen: `""` for all times, the place of a span, `own` for times that the reader writes, and
 * `given` for times that came in another way.
 */
export type Range = "" | `${number}` | "own" | "given";

export type Times = Pick<EventFilter, "occurred_from" | "occurred_to">;

/** Begins with the minute that is that long before `now`. */
export function sinceSpan(place: number, now: number): Times {
  const [size, unit] = SPANS[place] ?? SPANS[3];
  const from = Math.floor(now / MINUTE_MS) - size * MINUTES[unit];
  return { occurred_from: new Date(from * MINUTE_MS).toISOString() };
}
