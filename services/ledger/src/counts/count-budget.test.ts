// Guarantee: a count ends where one of its budgets does, each by itself while the others are without an end:
// bytes and keys of the filter index, and events that are compared. What it says that it counted is what it
// counted, at the last event that a budget has space for.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventFilter } from "../search/rules/event-filter.ts";
import { fieldOf, indexSegments } from "../testing/count-fixtures.ts";
import { aroundPool, newLedgerDatabase, openPool } from "../testing/database.ts";
import { FRESH, insertEvents } from "../testing/segment-fixtures.ts";
import { type CountBounds, countEvents } from "./count-events.ts";
import { countValues } from "./count-values.ts";
import { findBlocks } from "./store/find-blocks.ts";

const ACCOUNT = "acct_1";
const INDEXED = 3 * FRESH;
const LAST = INDEXED + 300;

const ENDLESS: CountBounds = {
  bytes: 1e9,
  keys: 1e9,
  events: 1e6,
  values: 1e6,
  rows: Infinity,
  textBytes: Infinity,
};

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  pool = openPool(database.url, { atEnd: afterAll });
  await insertEvents(database, ACCOUNT, LAST);
  await database.query(
    `UPDATE ledger.events SET occurred_at =
       to_char(timestamp '2026-03-01' + sequence_number * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  );
  const call = (text: string) => database.query<Record<string, unknown>>(text);
  await indexSegments(call, ACCOUNT, 0, INDEXED);
}, 60_000);

/** The values of a field in the events up to a number. */
async function facet(
  bounds: Partial<CountBounds>,
  filter: EventFilter,
  to: number,
  name = "actor_id",
  asked = pool,
) {
  const [found] = await countValues(asked, {
    accountId: ACCOUNT,
    filter: { ...filter, beforeSequence: BigInt(to + 1) },
    fields: [fieldOf(name)],
    keys: undefined,
    limit: 1,
    bounds: { ...ENDLESS, ...bounds },
  });
  const { events, isComplete, reached } = found ?? {};
  return { events, isComplete, reached };
}

const WHOLE = { events: INDEXED, isComplete: true, reached: 1 };
const NEWEST = { events: FRESH, isComplete: false, reached: INDEXED - FRESH + 1 };
/** Selects every event, and lets the places of values be read. */
const ANY = { not: { actions: ["none"] } };

describe("of the filter index: a second segment does not fit", () => {
  test.each([
    ["bytes of places", { bytes: 25_000 }, ANY],
    ["bytes of sums", { bytes: 21_000 }, {}],
    ["keys with places", { keys: 600 }, ANY],
    ["keys with sums", { keys: 600 }, {}],
  ])("%s", async (_name, bounds, filter) => {
    expect(await facet(bounds, filter, INDEXED)).toEqual(NEWEST);
    expect(await facet({}, filter, INDEXED)).toEqual(WHOLE);
  });

  test("bytes of times", async () => {
    const first = Date.UTC(2026, 2, 1) / 60_000;
    const search = {
      accountId: ACCOUNT,
      filter: { beforeSequence: BigInt(INDEXED + 1) },
      edges: [first + 1, first + 7, first + 20_000],
      by: undefined,
    };
    const counted = async (bytes: number) => {
      const { isComplete, reached, total } = await countEvents(pool, {
        ...search,
        bounds: { ...ENDLESS, bytes },
      });
      return { events: total, isComplete, reached };
    };
    // The runs of a segment have six bytes a minute.
    expect(await counted(6 * FRESH + 100)).toEqual(NEWEST);
    expect(await counted(1e9)).toEqual(WHOLE);
  });
});

// PostgreSQL reads also what turns out to be too much: of long chains some ten times what fits.
test("of segments that would not fit if they were like those before, none is asked for", async () => {
  const asked: number[] = [];
  const recording = aroundPool(pool, (of) => ({
    ...of,
    run: (statement, params) => {
      const [, levels] = params;
      if (statement.name === findBlocks.name && Array.isArray(levels)) asked.push(levels.length);
      return of.run(statement, params);
    },
  }));
  const segmentsFor = async (keys: number) => {
    asked.length = 0;
    expect(await facet({ keys }, ANY, INDEXED, "actor_id", recording)).toMatchObject({
      isComplete: keys > 600,
    });
    return [...asked];
  };
  expect([await segmentsFor(600), await segmentsFor(1_000_000)]).toEqual([
    [1, 1],
    [1, 2],
  ]);
});

describe("of compared events", () => {
  const TEXT = { texts: ["a"] };

  test.each([1, 100])("behind the index: %i", async (events) => {
    const end = { events, isComplete: false, reached: LAST - events + 1 };
    expect(await facet({ events }, {}, LAST, "action")).toEqual(end);
  });

  test.each([1, 100])("that each have to be read: %i", async (events) => {
    const end = { events, isComplete: false, reached: INDEXED - events + 1 };
    expect(await facet({ events }, TEXT, INDEXED, "action")).toEqual(end);
  });

  // The part of each event has two bytes.
  test("whose values are read: bytes of parts", async () => {
    const end = { events: 50, isComplete: false, reached: LAST - 49 };
    expect(await facet({ textBytes: 100 }, {}, LAST, "outcome")).toEqual(end);
    expect(await facet({ textBytes: 1 }, {}, LAST, "outcome")).toMatchObject({ events: 1 });
  });

  // The types of events 1, 1,001 and so on are too long for the index.
  test.each([
    [3, 9_001],
    [4, 8_001],
    [5, 7_001],
  ])("of which there are few: %i, up to event %i", async (events, next) => {
    const filter = { not: { targetTypes: ["none"] } };
    const end = { events: INDEXED - next, isComplete: false, reached: next + 1 };
    expect(await facet({ events }, filter, INDEXED, "action")).toEqual(end);
  });

  test("in a segment that the index has no space for", async () => {
    const end = { events: 100, isComplete: false, reached: INDEXED - 99 };
    expect(await facet({ bytes: 1, events: 100 }, ANY, INDEXED)).toEqual(end);
  });

  test("without an end", async () => {
    expect(await facet({}, TEXT, INDEXED, "action")).toEqual(WHOLE);
  });
});
