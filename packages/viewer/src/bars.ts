// Makes bars of a histogram: one for each interval, also for those without an event; and adds events to a
// histogram that came after it. Used by counts.ts. It asks for nothing.

import type { Histogram, Interval } from "./client.ts";
import type { EventFilter, Zone } from "./types.ts";

/** The newest are kept. */
const MAX_BARS = 400;
const MINUTE_MS = 60_000;

const FIXED_MS: Partial<Record<Interval, number>> = {
  "1m": MINUTE_MS,
  "5m": 5 * MINUTE_MS,
  "15m": 15 * MINUTE_MS,
  "1h": 60 * MINUTE_MS,
};

/** The events from one time to before another, in milliseconds. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  count: number;
  failures: number;
}

export interface Bars {
  readonly bars: readonly Bar[];
  readonly total: number;
  readonly interval: Interval;
  /** Whether older events are not counted. */
  readonly isCut: boolean;
  /** Undefined if failures are not counted. */
  readonly failures: number | undefined;
}

interface Limits extends Pick<EventFilter, "occurred_from" | "occurred_to"> {
  /** That of the histogram: days and weeks begin in it. */
  readonly zone: Zone;
}

export function barsOf(all: Histogram, failures: Histogram | undefined, limits: Limits): Bars {
  const { interval, total } = all;
  const bars = emptyBars(all, limits);
  for (const { time, count } of all.data) {
    const bar = barAt(bars, time);
    if (bar) bar.count += count;
  }
  for (const { time, count } of failures?.data ?? []) {
    const bar = barAt(bars, time);
    if (bar) bar.failures += count;
  }
  return { bars, total, interval, isCut: !all.complete, failures: failures?.total };
}

/** Events that came after a histogram. */
interface Later {
  /** When they occurred, in milliseconds. */
  readonly times: readonly number[];
  /** When any bar of the histogram begins; undefined if it has none. */
  readonly edge: number | undefined;
  /** That of the histogram. */
  readonly zone: Zone;
}

/** The histogram with later events; undefined if its bars do not reach to all of them. */
export function withLater(histogram: Histogram, later: Later): Histogram | undefined {
  const { data, interval, total } = histogram;
  const { edge, times, zone } = later;
  if (times.length === 0) return histogram;
  if (edge === undefined) return undefined;
  const counts = new Map(data.map(({ time, count }) => [Date.parse(time), count]));
  let [start, steps] = [edge, 0];
  for (const time of times.toSorted((one, other) => one - other)) {
    const isIn = () => start <= time && time < stepped(start, 1, interval, zone);
    for (; !isIn() && steps <= MAX_BARS; steps += 1)
      start = stepped(start, time < start ? -1 : 1, interval, zone);
    if (!isIn()) return undefined;
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  const rows = [...counts].toSorted(([one], [other]) => one - other);
  return {
    ...histogram,
    data: rows.map(([time, count]) => ({ time: new Date(time).toISOString(), count })),
    total: total + times.length,
  };
}

/** Spans the range of the filter. The oldest and the newest event stand for a missing end. */
function emptyBars({ data, interval }: Histogram, limits: Limits): Bar[] {
  const times = data.map(({ time }) => Date.parse(time));
  const first = times[0];
  const last = times.at(-1);
  if (first === undefined || last === undefined) return [];
  const step = (time: number, by: number) => stepped(time, by, interval, limits.zone);
  const from = Date.parse(limits.occurred_from ?? "");
  const to = Date.parse(limits.occurred_to ?? "");
  const bars: Bar[] = [];
  const end = to > last ? to : step(last, 1);
  let at = last;
  while (step(at, 1) < end && bars.length < MAX_BARS) {
    at = step(at, 1);
    bars.push(barFrom(at, step(at, 1)));
  }
  const start = from < first ? from : first;
  for (at = last; bars.length < MAX_BARS; at = step(at, -1)) {
    bars.push(barFrom(at, step(at, 1)));
    if (at <= start) break;
  }
  return bars.toSorted((one, other) => one.from - other.from);
}

const barFrom = (from: number, to: number): Bar => ({ from, to, count: 0, failures: 0 });

function barAt(bars: readonly Bar[], time: string): Bar | undefined {
  const at = Date.parse(time);
  return bars.findLast(({ from }) => from <= at);
}

/** Days and weeks have the length that the zone gives them. */
function stepped(time: number, by: number, interval: Interval, zone: Zone): number {
  const fixed = FIXED_MS[interval];
  if (fixed !== undefined) return time + by * fixed;
  const at = new Date(time);
  const days = by * (interval === "1w" ? 7 : 1);
  if (zone === "utc") at.setUTCDate(at.getUTCDate() + days);
  else at.setDate(at.getDate() + days);
  return at.getTime();
}
