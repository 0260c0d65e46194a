// What a sink is besides its type (docs/sinks.md): its formats, what it has lost, what becomes of an event
// that is refused. Called by the handlers of sinks, by the worker and by the receivers.

export const SINK_FORMATS = ["annals", "ocsf", "ecs", "cloudevents"] as const;
export type SinkFormat = (typeof SINK_FORMATS)[number];

/**
 * Why events are never sent: retention deleted them before, or the receiver refuses them; or some of both.
 */
export type LostReason = "retention" | "rejected" | "both";

/** A range of events that are never sent; both inclusive. */
export interface LostRange {
  readonly from: number;
  readonly to: number;
  readonly reason: LostReason;
  /** Whether the receiver is yet to be told. */
  readonly isUntold?: boolean;
}

/** Ranges that are shown; the oldest are joined beyond that. */
const MAX_LOST = 20;

/** The ranges with one more, which is behind them. */
export function withLost(ranges: readonly LostRange[], range: LostRange): readonly LostRange[] {
  const last = ranges.at(-1);
  const continues =
    last?.reason === "retention" && range.reason === last.reason && last.to + 1 >= range.from;
  if (continues) return [...ranges.slice(0, -1), { ...range, from: last.from }];
  const [first, second, ...rest] = [...ranges, range];
  if (ranges.length < MAX_LOST || !first || !second) return [...ranges, range];
  const reason = first.reason === second.reason ? first.reason : "both";
  return [{ ...second, from: first.from, reason }, ...rest];
}

/** What is done with a single event that the receiver refuses for good. */
export const ON_REJECTED = ["stop", "skip"] as const;
export type OnRejected = (typeof ON_REJECTED)[number];

/** How a test was received. */
export interface SinkTestResult {
  readonly success: boolean;
  /** Why it was not accepted, in a sentence without secrets. */
  readonly error?: string;
}
