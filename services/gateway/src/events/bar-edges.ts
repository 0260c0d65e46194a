// The edges of the bars of a histogram, in minutes since 1970, in a time zone. Called by histogram-query.ts.
// A bar ends where the next one begins, whatever the clocks of the zone do in between.

export const INTERVALS = ["1m", "5m", "15m", "1h", "1d", "1w"] as const;
export type Interval = (typeof INTERVALS)[number];

const HOUR = 60;
const DAY = 24 * HOUR;
const MINUTES: Readonly<Record<Interval, number>> = {
  "1m": 1,
  "5m": 5,
  "15m": 15,
  "1h": HOUR,
  "1d": DAY,
  "1w": 7 * DAY,
};
/** 1970 began on a Thursday. */
const DAYS_FROM_MONDAY = 3;

export const MAX_BARS = 2_000;
const DEFAULT_BARS = 120;

/** Both in minutes; the second is not included. */
export interface MinuteRange {
  readonly from: number;
  readonly to: number;
}

/** The smallest interval with at most 120 bars. */
export function defaultInterval(range: MinuteRange): Interval {
  return INTERVALS.find((each) => barsAbout(each, range) <= DEFAULT_BARS) ?? "1w";
}

/** The number of bars, but for one or two. */
function barsAbout(interval: Interval, { from, to }: MinuteRange): number {
  return Math.ceil((to - from) / MINUTES[interval]);
}

/** Undefined for more than 2,000 bars. `offsetAt` are the minutes of the zone that are ahead of UTC. */
export function edgesOf(
  interval: Interval,
  range: MinuteRange,
  offsetAt: (minute: number) => number,
): number[] | undefined {
  if (barsAbout(interval, range) > MAX_BARS) return undefined;
  const next = nextEdge(interval, offsetAt);
  // The first bar begins at the last edge up to the beginning of the range.
  let edge = next(range.from - 2 * MINUTES[interval]);
  for (let after = next(edge); after <= range.from; after = next(edge)) edge = after;
  const edges = [edge];
  while (edge < range.to && edges.length <= MAX_BARS + 1) {
    edge = next(edge);
    edges.push(edge);
  }
  return edges.length - 1 > MAX_BARS ? undefined : edges;
}

/** What finds the first edge after a minute. */
function nextEdge(
  interval: Interval,
  offsetAt: (minute: number) => number,
): (after: number) => number {
  const minutes = MINUTES[interval];
  if (minutes <= HOUR) {
    return (after) => {
      // The clocks may have been changed in between by a part of an hour.
      const edge = alignedAfter(after, minutes, offsetAt(after));
      return alignedAfter(edge - 1, minutes, offsetAt(edge));
    };
  }
  const days = minutes / DAY;
  return (after) => {
    const today = Math.floor((after + offsetAt(after)) / DAY);
    const next = days === 1 ? today + 1 : today + 7 - modulo(today + DAYS_FROM_MONDAY, 7);
    return beginningOf(next, offsetAt);
  };
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

const alignedAfter = (after: number, minutes: number, offset: number): number =>
  after + minutes - modulo(after + offset, minutes);

/** The first minute of a day, which does not begin at midnight where the clocks are changed then. */
function beginningOf(day: number, offsetAt: (minute: number) => number): number {
  const midnight = day * DAY;
  const offsets = [offsetAt(midnight - DAY), offsetAt(midnight + DAY)];
  const possible = offsets.map((offset) => midnight - offset).toSorted((one, other) => one - other);
  const isThen = (minute: number) => minute + offsetAt(minute) >= midnight;
  return possible.find(isThen) ?? midnight - offsetAt(midnight);
}

const OFFSET = /^GMT(?:([+-])(\d{2}):(\d{2})(?::\d{2})?)?$/;

/** The offsets of a time zone of the IANA; undefined for another name. */
export function offsetsOf(timeZone: string): ((minute: number) => number) | undefined {
  if (timeZone === "UTC") return () => 0;
  // Node takes offsets such as +05:30, too.
  if (!/^[A-Za-z]/.test(timeZone)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
  return (minute) => {
    const parts = format.formatToParts(minute * 60_000);
    const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours = "0", minutes = "0"] = OFFSET.exec(name) ?? [];
    const offset = Number(hours) * HOUR + Number(minutes);
    return sign === "-" ? -offset : offset;
  };
}
