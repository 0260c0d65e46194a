// Guarantee: a list and a stream give exactly the events that a plain scan of all events gives, in order,
// page by page, for any filters together, each with any number of values, however far the filter index is and
// while it is made, and wherever the budget of a page ends it. A wrong block adds no event.

import { RecordFormat } from "@annals/proto/ledger";
import type { TestDatabase } from "@annals/testing";
import fc from "fast-check";
import { beforeEach, expect, inject, test } from "vitest";
import { CHUNK_SIZE } from "./rules/chunk.ts";
import { indexSegment } from "./store/index-segment.ts";
import { newLedgerDatabase } from "../testing/database.ts";
import {
  APPENDED,
  indexAll,
  insertAll,
  RECEIVED_AT,
  type Sent,
  timeOf,
} from "../testing/index-fixtures.ts";
import { changeEntry } from "../testing/segment-fixtures.ts";
import { openLedger, type TestLedger } from "../testing/test-ledger.ts";

const ACCOUNT = "acct_1";
const NEIGHBOUR = "acct_2";
const EVENTS = 3 * CHUNK_SIZE + 700;

let stored: TestDatabase;
let ledger: TestLedger;
/** Its pages end after little work. */
let frugal: TestLedger;

beforeEach(async () => {
  stored = await newLedgerDatabase();
  ledger = openLedger(stored);
  const bounds = { rows: 1_000, textBytes: Infinity, bytes: 4_000 };
  frugal = openLedger(stored, undefined, undefined, false, bounds);
});

/** Values that some events have, many or few; the last one none has. */
const ACTIONS = [
  "user.login",
  "user.logout",
  "use",
  "x\u001fy",
  'ü."\\',
  "rare",
  "absent",
] as const;
const ACTORS = ["u_1", "u_2", " ", "x\u001fy", 'says "é"', "u_rare", "u_absent"] as const;
const TYPES = ["user", "u_1", "robot", "absent"] as const;

/** Number `index` + 1: some values are on nearly all events, some on one in a thousand or on one alone. */
function sentOf(index: number): Sent {
  const pick = <T>(values: readonly T[], seed: number): T =>
    values[Math.floor((((index * seed) % 1_009) ** 2 / 1_009 ** 2) * values.length)] as T;
  // A chunk of its own has many actions with one prefix.
  const isMany = index > CHUNK_SIZE && index < 2 * CHUNK_SIZE;
  const append = Math.floor(index / APPENDED);
  const action = isMany && index % 3 === 0 ? `job.${index % 200}` : pick(ACTIONS.slice(0, 5), 7);
  return {
    action: index % 2_777 === 5 ? "rare" : action,
    occurredAt: timeOf(index % 611 === 0 ? index - 2_000 : index + ((index * 7_919) % 40)),
    // Gateways whose clocks differ received the appends.
    receivedAt: timeOf((append + 1) * APPENDED - ((append * 7) % 3) * 1_500),
    ...(index % 5 > 0 && { actorId: index === 9_000 ? "u_rare" : pick(ACTORS.slice(0, 5), 11) }),
    ...(index % 10 > 0 && { actorType: pick(TYPES.slice(0, 2), 13) }),
    ...(index % 3 > 0 && { targetId: `t_${index % 1_500}` }),
    ...(index % 7 > 0 && { targetType: pick(TYPES.slice(0, 3), 17) }),
  };
}

/** Values of one filter of a query: any of them. */
type Some = readonly string[];

interface Query {
  readonly actions?: Some;
  readonly actionPrefixes?: Some;
  readonly actorIds?: Some;
  readonly actorTypes?: Some;
  readonly targetIds?: Some;
  readonly targetTypes?: Some;
  readonly from?: number;
  readonly to?: number;
  readonly receivedFrom?: number;
  readonly receivedTo?: number;
  readonly after?: number;
  readonly before?: number;
  readonly ascending: boolean;
  readonly limit: number;
}

const prefixes = ["", "u", "user.", "job.", "job.1", "x\u001f", 'ü."', "r", "absent"];
const time = fc.integer({ min: -2_500, max: EVENTS + 500 });
const place = fc.integer({ min: 0, max: EVENTS + 2 });
/** Most often one value or two, and at times as many as a request may have. */
const valuesOf = (value: fc.Arbitrary<string>): fc.Arbitrary<Some> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.array(value, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(value, { minLength: 1, maxLength: 10 }) },
  );
const values = {
  actorIds: valuesOf(fc.constantFrom(...ACTORS)),
  actorTypes: valuesOf(fc.constantFrom(...TYPES)),
  targetIds: valuesOf(fc.integer({ min: 0, max: 1_600 }).map((n) => `t_${n}`)),
  targetTypes: valuesOf(fc.constantFrom(...TYPES)),
  actions: valuesOf(fc.constantFrom(...ACTIONS, "job.7")),
  actionPrefixes: valuesOf(fc.constantFrom(...prefixes)),
  from: time,
  to: time,
  receivedFrom: time,
  receivedTo: time,
  after: place,
  before: place,
} satisfies Record<string, fc.Arbitrary<unknown>>;
/** With more of them most queries would select nothing. */
const MAX_FILTERS = 3;
const queries: fc.Arbitrary<Query> = fc
  .tuple(
    fc.record(values),
    fc.subarray(Object.keys(values) as (keyof typeof values)[], { maxLength: MAX_FILTERS }),
    fc.record({ ascending: fc.boolean(), limit: fc.constantFrom(1, 7, 50, 100) }),
  )
  .map(([all, names, order]) => {
    const chosen: Partial<typeof all> = Object.fromEntries(names.map((name) => [name, all[name]]));
    return { ...chosen, ...order };
  });

/** The numbers of all events that a query selects, by a plain scan. */
function scan(sent: readonly Sent[], query: Query): number[] {
  const { after = 0, before = Infinity, ascending } = query;
  const isOf = (wanted: Some | undefined, value: string | undefined) =>
    wanted === undefined || wanted.some((one) => one === value);
  const within = (from: number | undefined, to: number | undefined) => {
    const [first, end] = [from, to].map((one) => (one === undefined ? undefined : timeOf(one)));
    return (value: string) =>
      (first === undefined || value >= first) && (end === undefined || value < end);
  };
  const hasOccurred = within(query.from, query.to);
  const isReceived = within(query.receivedFrom, query.receivedTo);
  const { actionPrefixes, actions = actionPrefixes && [] } = query;
  const numbers = sent.flatMap((event, index) => {
    const matches =
      index + 1 > after &&
      index + 1 < before &&
      (isOf(actions, event.action) ||
        (actionPrefixes ?? []).some((prefix) => event.action.startsWith(prefix))) &&
      isOf(query.actorIds, event.actorId) &&
      isOf(query.actorTypes, event.actorType) &&
      isOf(query.targetIds, event.targetId) &&
      isOf(query.targetTypes, event.targetType) &&
      hasOccurred(event.occurredAt) &&
      isReceived(event.receivedAt ?? RECEIVED_AT);
    return matches ? [index + 1] : [];
  });
  return ascending ? numbers : numbers.toReversed();
}

function filterOf({ after, before, from, receivedFrom, receivedTo, to, ...query }: Query) {
  const { ascending: _, limit: __, ...chosen } = query;
  const lists = Object.entries(chosen).map(([name, list]) => [name, [...list]]);
  return {
    ...(Object.fromEntries(lists) as Record<keyof typeof chosen, string[]>),
    ...(from !== undefined && { occurredFrom: timeOf(from) }),
    ...(to !== undefined && { occurredTo: timeOf(to) }),
    ...(receivedFrom !== undefined && { receivedFrom: timeOf(receivedFrom) }),
    ...(receivedTo !== undefined && { receivedTo: timeOf(receivedTo) }),
    ...(after !== undefined && { afterSequence: BigInt(after) }),
    ...(before !== undefined && { beforeSequence: BigInt(before) }),
  };
}

async function page(query: Query) {
  const { ascending, limit } = query;
  const request = { accountId: ACCOUNT, filter: filterOf(query), ascending, limit };
  const { events, nextAfter } = await ledger.client.listEvents(request);
  return { numbers: events.map(({ sequenceNumber }) => Number(sequenceNumber)), next: nextAfter };
}

/** All pages of a list from ledgers whose pages end after little work: many are short or empty. */
async function allPages(query: Query): Promise<{ numbers: number[]; short: number }> {
  const numbers: number[] = [];
  let short = 0;
  let filter = filterOf(query);
  for (;;) {
    const request = { accountId: ACCOUNT, filter, ascending: query.ascending, limit: query.limit };
    const { events, nextAfter } = await frugal.client.listEvents(request);
    expect(events.length).toBeLessThanOrEqual(query.limit);
    numbers.push(...events.map(({ sequenceNumber }) => Number(sequenceNumber)));
    if (nextAfter === undefined) return { numbers, short };
    short += Number(events.length < query.limit);
    filter = { ...filter, [query.ascending ? "afterSequence" : "beforeSequence"]: nextAfter };
  }
}

async function streamed(query: Query): Promise<number[]> {
  const numbers: number[] = [];
  const request = { accountId: ACCOUNT, filter: filterOf(query), format: RecordFormat.JSONL };
  for await (const { text } of ledger.client.streamEvents(request)) {
    const lines = Buffer.from(text).toString().split("\n").slice(0, -1);
    numbers.push(...lines.map((line) => Number(JSON.parse(line).sequence_number)));
  }
  return numbers;
}

/** Whether another value than the first of its filter selects events. */
function needsEach(sent: readonly Sent[], query: Query, selected: number): boolean {
  const first = Object.entries(query).map(([name, one]) => [
    name,
    Array.isArray(one) ? one.slice(0, 1) : one,
  ]);
  return scan(sent, Object.fromEntries(first) as Query).length < selected;
}

const RUNS = inject("searches");
/** One in so many queries is read to its end too, as pages and as a stream. */
const READ_WHOLE = 6;

/** Queries of which more than the first value selects events. */
const SEVERAL: [Query][] = [
  [{ actions: ["user.login", "rare"], ascending: true, limit: 7 }],
  [{ actorIds: ["u_rare", "u_1"], targetTypes: ["user"], ascending: false, limit: 50 }],
  [{ actionPrefixes: ["job.1", "u"], from: 100, ascending: true, limit: 100 }],
];

/** What the queries of several checks met, by which the test shows that it could fail. */
const met = () => ({ asked: 0, selecting: 0, short: 0, several: 0 });

async function check(sent: readonly Sent[], total: ReturnType<typeof met>): Promise<void> {
  const property = fc.asyncProperty(queries, async (query) => {
    const expected = scan(sent, query);
    total.selecting += Number(expected.length > 0);
    total.several += Number(needsEach(sent, query, expected.length));
    const first = await page(query);
    expect(first).toStrictEqual({
      numbers: expected.slice(0, query.limit),
      next: expected.length > query.limit ? BigInt(first.numbers.at(-1) ?? 0) : undefined,
    });
    total.asked += 1;
    if (total.asked % READ_WHOLE > 0) return;
    const all = await allPages({ ...query, limit: 100 });
    expect(all.numbers).toStrictEqual(expected);
    total.short += all.short;
    expect(await streamed(query)).toStrictEqual(scan(sent, { ...query, ascending: true }));
  });
  await fc.assert(property, { numRuns: RUNS, examples: SEVERAL });
}

const indexed = async (): Promise<number> => {
  const [row] = await stored.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM ledger.segments WHERE account_id = $1",
    [ACCOUNT],
  );
  return row?.n ?? 0;
};

test("what is found does not depend on how far the index is, nor on its being made meanwhile", async () => {
  const sent = Array.from({ length: EVENTS }, (_, index) => sentOf(index));
  await insertAll(stored, ACCOUNT, sent);
  await insertAll(
    stored,
    NEIGHBOUR,
    sent.slice(0, CHUNK_SIZE).map((event) => ({ ...event, actorId: "u_absent" })),
  );
  const total = met();
  await check(sent, total);
  await ledger.database.run(indexSegment, [ACCOUNT, 0]);
  expect(await indexed()).toBe(1);
  await check(sent, total);
  const [, lag] = await Promise.all([check(sent, total), indexAll(ledger.database)]);
  expect({ lag, indexed: await indexed() }).toStrictEqual({ lag: 0, indexed: 3 });
  await check(sent, total);
  expect(total.asked).toBe(4 * RUNS);
  expect(total.selecting).toBeGreaterThanOrEqual(4 * SEVERAL.length);
  // Control: a list of the first value of each filter would lack events.
  expect(total.several).toBeGreaterThanOrEqual(4 * SEVERAL.length);
  // Control: budgets were spent before a page was full.
  expect(total.short).toBeGreaterThan(0);
}, 240_000);

test("a wrong block adds no event", async () => {
  const sent = Array.from({ length: CHUNK_SIZE }, (_, index) => sentOf(index));
  await insertAll(stored, ACCOUNT, sent);
  await indexAll(ledger.database);
  const query = { actorIds: ["u_2"], ascending: true, limit: 100 };
  const expected = scan(sent, query);
  const change = (places: readonly number[]) =>
    changeEntry(stored, ACCOUNT, { field: 2, key: "u_2", base: 0 }, () => places);
  // All events: the true ones are among them.
  await change(Array.from({ length: CHUNK_SIZE }, (_, each) => each));
  const some = await page(query);
  expect(some.numbers).toStrictEqual(expected.filter((number) => number <= 100));
  const rest = await page({ ...query, after: Number(some.next) });
  expect(rest.numbers).toStrictEqual(expected.filter((number) => number > 100 && number <= 200));
  // The true events of the one value are under both keys: each is listed once.
  const both = { ...query, actorIds: ["u_1", "u_2"] };
  expect((await page(both)).numbers).toStrictEqual(scan(sent, both).filter((one) => one <= 100));
  // Control: the index is what is searched.
  await change([]);
  expect((await page(query)).numbers).toStrictEqual([]);
});
