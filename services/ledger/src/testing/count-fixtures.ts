// Counts in tests: events that occurred at all kinds of times, what is asked of them, and what an answer
// should say. Imported by tests only.

import type { TestDatabase } from "@annals/testing";
import fc from "fast-check";
import {
  columnField,
  type CountedField,
  partField,
  shownValue,
} from "../counts/rules/counted-field.ts";
import type { EventFilter, FieldValues } from "../search/rules/event-filter.ts";
import { OUTCOME } from "../search/rules/in-parts.ts";
import { type CountedRow, matching, valuesIn } from "./counted-rows.ts";
import { CONTEXT, FIELDS } from "./declared-values.ts";
import { FRESH, insertEvents, OUTCOMES, SEALED } from "./segment-fixtures.ts";

export const EVENTS = SEALED + 2 * FRESH + 300;
/** Events of a count of declared fields at most: each is parsed where the index does not have them. */
const WIDTH = 6_000;

/** One event in this many has declared values: to parse them is what a test costs. No kind of them has it. */
const VALUED = 17;

/** 37 seconds apart, but for some that came late, and some at the edge of a minute. */
const OCCURRED = `to_char(timestamp '2026-03-01' + n * interval '37.01 seconds'
  - CASE WHEN n % 50 = 1 THEN interval '3 hours' ELSE interval '0' END, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

export async function insertCounted(database: TestDatabase, accountId: string): Promise<void> {
  const context = `CASE WHEN n % ${VALUED} = 0 THEN ${CONTEXT} ELSE '{}' END`;
  await insertEvents(database, accountId, EVENTS, { metadata: OUTCOMES, context, time: OCCURRED });
}

type Call = (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Indexes the fresh segments from one base up to another one. */
export async function indexSegments(
  call: Call,
  accountId: string,
  from: number,
  to: number,
): Promise<void> {
  for (let base = from; base < to; base += FRESH)
    // oxlint-disable-next-line no-await-in-loop -- in order
    await call(`SELECT ledger.index_segment('${accountId}', ${base})`);
}

/** Makes so many steps of a backfill, or all. */
export async function backfillField(
  call: Call,
  accountId: string,
  field: number,
  steps = Infinity,
): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const [row] = await call(
      `SELECT ledger.index_field('${accountId}', ${field}::smallint) AS more`,
    );
    if (row?.["more"] !== true) return;
  }
}

/** Declares one of FIELDS, whose backfill begins at a segment. */
export function declareField(
  database: TestDatabase,
  accountId: string,
  field: number,
  fromBase: number,
): Promise<unknown> {
  const declared = FIELDS.find((each) => each.field === field);
  if (!declared) throw new Error(`no field has the number ${field}`);
  const { ignoreCase, name, type } = declared;
  return database.query(
    `INSERT INTO ledger.fields VALUES ($1, $2, $3, $4, $5, $6, $7, $7, '2026-01-01', NULL)`,
    [accountId, field, name, ["context", name], type, ignoreCase, fromBase],
  );
}

/** Facets of columns without a filter: their index is summed. Some types are too long for a key. */
export const UNFILTERED: [EventFilter, string, 50][] = [
  [{}, "actor_id", 50],
  [{}, "target_type", 50],
];

export const NAMES = [
  "action",
  "actor_id",
  "target_type",
  "outcome",
  ...FIELDS.map(({ name }) => `field.${name}`),
];

export function fieldOf(name: string): CountedField {
  if (name === "outcome") return partField(OUTCOME);
  const declared = FIELDS.find((each) => `field.${each.name}` === name);
  const column = columnField(name);
  if (column) return column;
  if (!declared) throw new Error(`no field is named ${name}`);
  const { field, ignoreCase, type } = declared;
  return partField({ field, path: ["context", declared.name], type, ignore_case: ignoreCase });
}

const minuteOf = (day: number, minutes: number): number =>
  Date.UTC(2026, 2, day) / 60_000 + minutes;
const timeOf = (minute: number, fraction = "00.000000"): string =>
  `${new Date(minute * 60_000).toISOString().slice(0, 17)}${fraction}Z`;

/** Bars of days, of hours that begin at half past, and of minutes. */
export const EDGES = {
  days: Array.from({ length: 40 }, (_, at) => minuteOf(at - 2, 0)),
  halves: Array.from({ length: 900 }, (_, at) => minuteOf(0, 30 + 60 * at)),
  odd: Array.from({ length: 90 }, (_, at) => minuteOf(1, 7 + 11 * 60 * at)),
};

const ONE_OF: Readonly<Record<string, readonly string[]>> = {
  ip: ["203.0.0.0/20", "203.0.7.7"],
  ms: ["-0.25..1", "..-124.75"],
  at: ["..2026-01-02T00:00:00Z"],
  tags: ["a", "T29*"],
};
const declaredValues = fc.constantFrom(...FIELDS).chain(({ ignoreCase, name, type }) =>
  fc.constantFrom(...(ONE_OF[name] ?? [])).map((value): FieldValues => {
    return { name, path: ["context", name], type, ignoreCase, values: [value] };
  }),
);
const outcome: FieldValues = {
  name: "outcome",
  path: ["metadata", "outcome"],
  type: "string",
  ignoreCase: false,
  values: ["o1", "o3"],
};
const maybe = <T>(value: fc.Arbitrary<T>, freq = 3) => fc.option(value, { freq, nil: undefined });

export const filters: fc.Arbitrary<EventFilter> = fc
  .record({
    actions: maybe(fc.constantFrom(["a.3", "a.5"], ["a.1"], ["none"])),
    actorIds: maybe(fc.constantFrom(["u_17"], ["u_1", "u_2", "u_3"])),
    fields: maybe(
      fc.array(fc.oneof(declaredValues, fc.constant(outcome)), { minLength: 1, maxLength: 2 }),
    ),
    not: maybe(
      fc.oneof(
        fc.constant({ actorIds: ["u_100", "u_101"] }),
        fc.constant({ actions: ["a.2"], fields: [outcome] }),
        declaredValues.map((field) => ({ fields: [field] })),
      ),
    ),
    after: fc.integer({ min: 0, max: EVENTS - 500 }),
    occurredFrom: maybe(fc.integer({ min: 0, max: 30_000 }), 2),
    occurredTo: maybe(fc.integer({ min: 10_000, max: 46_000 }), 2),
    fraction: fc.constantFrom("00.000000", "00.000000", "17.500000"),
    receivedFrom: maybe(fc.constant(timeOf(minuteOf(10, 3), "01.000000")), 1),
    text: maybe(fc.constant(["a.4"]), 1),
    width: fc.constantFrom(WIDTH, WIDTH, Infinity),
  })
  .map(({ after, fraction, occurredFrom, occurredTo, text, width, ...rest }) => {
    const at = (minutes: number) => timeOf(minuteOf(1, minutes), fraction);
    const isSlow =
      [...(rest.fields ?? []), ...((rest.not as EventFilter)?.fields ?? [])].length > 0;
    const isAll = !isSlow && !text && width === Infinity;
    return {
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
      ...(occurredFrom !== undefined && { occurredFrom: at(occurredFrom) }),
      ...(occurredTo !== undefined && { occurredTo: at(occurredTo) }),
      ...(text && { texts: text }),
      ...(!isAll && {
        afterSequence: BigInt(after),
        beforeSequence: BigInt(after + WIDTH),
      }),
    };
  });

export function groupBy(
  rows: readonly CountedRow[],
  filter: EventFilter,
  edges: readonly number[],
  name: string | undefined,
  named: readonly string[],
) {
  const found: Record<string, number> = {};
  let total = 0;
  for (const row of matching(rows, filter)) {
    const edge = edges.findLast((each) => each <= row.minute);
    if (edge === undefined || edge === edges.at(-1)) continue;
    total += 1;
    const type = name === undefined ? "" : fieldOf(name).type;
    const own = (name === undefined ? [] : valuesIn(row, name)).map((value) =>
      shownValue(type, value),
    );
    const shown = own.filter((value) => named.includes(value));
    for (const value of shown.length > 0 ? shown : [undefined]) {
      const key = `${edge} ${value}`;
      found[key] = 1 + (found[key] ?? 0);
    }
  }
  return { found, total };
}

export function facetOf(
  rows: readonly CountedRow[],
  filter: EventFilter,
  name: string,
  limit: number,
  prefix = "",
) {
  const counts = new Map<string, number>();
  let missing = 0;
  const events = matching(rows, filter);
  for (const row of events) {
    const values = valuesIn(row, name).filter((value) => value.startsWith(prefix));
    if (values.length === 0) missing += 1;
    for (const value of values) counts.set(value, 1 + (counts.get(value) ?? 0));
  }
  const all = [...counts].toSorted(
    ([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1),
  );
  const listed = all.filter(([value]) => Buffer.byteLength(value) <= 256).slice(0, limit);
  const sum = (some: readonly (readonly [string, number])[]) =>
    some.reduce((before, [, count]) => before + count, 0);
  return {
    values: listed.map(([value, count]) => ({
      value: shownValue(fieldOf(name).type, value),
      count,
    })),
    other: sum(all) - sum(listed),
    missing,
    distinct: all.length,
    events: events.length,
  };
}
