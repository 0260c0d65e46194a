// The cursor of a histogram: the number below which the next page counts, the bars of the first page, and the
// values that it named. Called by histogram-query.ts. It is opaque to clients. A request with other filters
// is refused, because its counts could not be added.

import { invalid } from "@annals/errors";
import { hash } from "node:crypto";
import { type Interval, INTERVALS, type MinuteRange } from "./bar-edges.ts";

export interface Position {
  /** The first number that was counted. */
  readonly reached: bigint;
  readonly interval: Interval;
  readonly range: MinuteRange;
  readonly values: readonly string[];
}

const HEAD = /^2 (\d{1,16}) ([0-9a-f]{16}) (1m|5m|15m|1h|1d|1w) (-?\d{1,10}) (-?\d{1,10})$/;
const BASE64 = /^[\w-]+$/;
/** No value has it. */
const BETWEEN = "\0";
const MAX_VALUES = 10;

export function makeHistogramCursor(
  { interval, range, reached, values }: Position,
  selection: readonly unknown[],
): string {
  const head = `2 ${reached} ${digestOf(selection)} ${interval} ${range.from} ${range.to}`;
  return Buffer.from([head, ...values].join(BETWEEN)).toString("base64url");
}

/** Throws `invalid`. */
export function readHistogramCursor(cursor: string, selection: readonly unknown[]): Position {
  const [head = "", ...values] = Buffer.from(cursor, "base64url").toString().split(BETWEEN);
  const [, reached, digest, interval, from, to] = HEAD.exec(head) ?? [];
  const known = INTERVALS.find((each) => each === interval);
  if (reached === undefined || !known || !BASE64.test(cursor) || values.length > MAX_VALUES)
    throw invalid({ field: "cursor", message: "must be the next_cursor of an earlier page" });
  if (digest !== digestOf(selection)) {
    const message = "was issued for other filters; send the same filters, or no cursor";
    throw invalid({ field: "cursor", message });
  }
  const range = { from: Number(from), to: Number(to) };
  return { reached: BigInt(reached), interval: known, range, values };
}

function digestOf(selection: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(selection)).slice(0, 16);
}
