// The parameters of a histogram, the requests to the ledger that they make, and the response. Called by the
// routes that count events, for API keys and for widget tokens.

import { invalid } from "@annals/errors";
import type { EventFilterSchema, Histogram, HistogramRequestSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Static, Type } from "typebox";
import { CLOSED, Count, named, Nullable, openDetail, Time } from "../render/schema.ts";
import {
  defaultInterval,
  edgesOf,
  INTERVALS,
  MAX_BARS,
  type MinuteRange,
  offsetsOf,
} from "./bar-edges.ts";
import { filterRequest } from "./event-query.ts";
import { makeHistogramCursor, type Position, readHistogramCursor } from "./histogram-cursor.ts";
import { selectionOf } from "./list-query.ts";
import { fieldParameters, listFilterMembers } from "./render-event-filter.ts";

/** Parameters and members of the routes that count. */
export const COUNT_MEMBERS = openDetail("count-members");

const CURSOR = { pattern: "^[A-Za-z0-9_-]+$", examples: ["MiA0MTIgM2IwYzQ0Mjk4ZmMxYzE0OQ"] };

/** What a request may count by: the names of filters of values. */
const COUNTED_FIELD = "^(action|actor_id|actor_type|target_id|target_type|outcome|field\\..+)$";
const MAX_NAME_LENGTH = 70;

const FieldName = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    pattern: COUNTED_FIELD,
    description:
      `${description}: \`action\`, \`actor_id\`, \`actor_type\`, \`target_id\`, \`target_type\`, \`outcome\`, or ` +
      "`field.` and the name of a declared field.",
    examples: ["outcome"],
    ...COUNT_MEMBERS,
  });

export const HistogramQuery = Type.Object(
  {
    ...listFilterMembers,
    interval: Type.Optional(
      Type.Enum(INTERVALS, {
        description: "Of each bar. Default: the smallest that makes at most 120 bars.",
        examples: ["1d"],
        ...COUNT_MEMBERS,
      }),
    ),
    by: Type.Optional(FieldName("The field whose values are counted")),
    time_zone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          "The IANA name of the zone in which hours, days and weeks begin. Default: UTC.",
        examples: ["Europe/Berlin"],
        ...COUNT_MEMBERS,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_096,
        description: "The next_cursor of the previous page; use it with the same parameters.",
        ...CURSOR,
        ...COUNT_MEMBERS,
      }),
    ),
  },
  { ...CLOSED, ...fieldParameters },
);

type Query = Static<typeof HistogramQuery>;

const Value = (description: string) => Type.String({ description, examples: ["failure"] });

export const HistogramBody = named(
  "EventHistogram",
  Type.Object({
    data: Type.Array(
      Type.Object({
        time: Time({ description: "When the bar begins, in UTC." }),
        value: Nullable(Value("One of `values`."), {
          description: "Null: the events with none of `values`.",
        }),
        count: Count({
          description: "At least 1: a bar without events is absent.",
          examples: [12],
        }),
      }),
      {
        description: "Sorted by time, then in the order of `values`, null last.",
        ...COUNT_MEMBERS,
      },
    ),
    values: Type.Array(Value("As events show it: a number as JSON."), {
      description:
        "With `by`: at most ten values, the most frequent of the first page, or fewer if there are so many bars " +
        "that the answer would be larger than 512 KiB.",
      ...COUNT_MEMBERS,
    }),
    total: Count({ description: "Events that were counted.", examples: [412], ...COUNT_MEMBERS }),
    interval: Type.Enum(INTERVALS, { examples: ["1d"], ...COUNT_MEMBERS }),
    time_zone: Type.String({ examples: ["UTC"], ...COUNT_MEMBERS }),
    complete: Type.Boolean({
      description:
        "Whether all events were counted. If not, go on with next_cursor and add the counts.",
      examples: [true],
      ...COUNT_MEMBERS,
    }),
    counted_from_sequence: Count({
      description:
        "Of the events below the cursor, those from this sequence number on were counted.",
      examples: [1],
      ...COUNT_MEMBERS,
    }),
    next_cursor: Nullable(Type.String(CURSOR), {
      description: "The cursor of the next page, which counts older events; null if complete.",
      ...COUNT_MEMBERS,
    }),
  }),
);

type Filter = MessageInitShape<typeof EventFilterSchema>;
type HistogramRequestInit = MessageInitShape<typeof HistogramRequestSchema>;
/** Asks the ledger. */
type Ask = (request: HistogramRequestInit) => Promise<Histogram | undefined>;

const MINUTE_MS = 60_000;
/** Of the time of a range without an event. */
const NOTHING: MinuteRange = { from: 0, to: 1 };

/** Returns the body. Throws `invalid`. */
export async function histogram(query: Query, ask: Ask): Promise<Static<typeof HistogramBody>> {
  // A plus sign in a query string is read as a space.
  const zone = (query.time_zone ?? "UTC").replace(" ", "+");
  const offsets = offsetsOf(zone);
  if (!offsets)
    throw invalid({
      field: "time_zone",
      message: "must be the IANA name of a time zone, such as Europe/Berlin",
    });
  const filter = filterRequest(query);
  requireMinutes(filter);
  const selection = selectionOf(query);
  const from =
    query.cursor === undefined ? undefined : readHistogramCursor(query.cursor, selection);
  const range = from?.range ?? (await rangeOf(filter, query.by, ask));
  const interval = from?.interval ?? query.interval ?? defaultInterval(range);
  const edges = edgesOf(interval, range, offsets);
  if (!edges) {
    const message = `makes more than ${MAX_BARS} bars: choose a longer one, or give occurred_from and occurred_to`;
    throw invalid({ field: "interval", message });
  }
  const found = await ask({
    filter: { ...filter, ...(from && { beforeSequence: from.reached }) },
    edges: edges.map(BigInt),
    by: query.by ?? "",
    ...(from && query.by !== undefined && { values: { values: [...from.values] } }),
  });
  const values = found?.values ?? [];
  const position: Position = { reached: found?.countedFrom ?? 1n, interval, range, values };
  const isComplete = found?.isComplete ?? true;
  return {
    data: (found?.bars ?? []).map(({ bar, count, value }) => ({
      time: timeOf(edges[bar] ?? 0),
      value: value === undefined ? null : (values[value] ?? null),
      count: Number(count),
    })),
    values,
    total: Number(found?.total ?? 0),
    interval,
    time_zone: zone,
    complete: isComplete,
    counted_from_sequence: Number(position.reached),
    next_cursor: isComplete ? null : makeHistogramCursor(position, selection),
  };
}

/** Bars are of whole minutes. */
export function requireMinutes({ occurredFrom, occurredTo }: Filter): void {
  for (const [field, time] of [
    ["occurred_from", occurredFrom],
    ["occurred_to", occurredTo],
  ] as const)
    if (time !== undefined && !time.endsWith(":00.000000Z"))
      throw invalid({ field, message: "must be a whole minute, such as 2026-01-31T09:30:00Z" });
}

/** The minutes whose events are counted: by default those that the ledger gives for who asks. */
async function rangeOf(
  { occurredFrom, occurredTo }: Filter,
  by: string | undefined,
  ask: Ask,
): Promise<MinuteRange> {
  const given = {
    ...(occurredFrom !== undefined && { occurredFrom }),
    ...(occurredTo !== undefined && { occurredTo }),
  };
  const times =
    occurredFrom === undefined || occurredTo === undefined
      ? await ask({ filter: given, edges: [], by: by ?? "" })
      : undefined;
  const from = occurredFrom ?? times?.earliest ?? "";
  const first = minuteOf(from === "" ? (occurredTo ?? "") : from);
  const to = occurredTo === undefined ? minuteOf(times?.latest ?? "") + 1 : minuteOf(occurredTo);
  if (Number.isNaN(first) || Number.isNaN(to)) return NOTHING;
  return { from: first, to: Math.max(to, first + 1) };
}

function minuteOf(time: string): number {
  return Math.floor(Date.parse(`${time.slice(0, 16)}:00Z`) / MINUTE_MS);
}

function timeOf(minute: number): string {
  return new Date(minute * MINUTE_MS).toISOString().replace(/\.\d+Z$/, ".000000Z");
}
