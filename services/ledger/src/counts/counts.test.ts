// Guarantee: histograms and facets say what GROUP BY says over the events that match, however far the index
// is: behind, fresh, in backfill, sealed, after an erasure before and after the index forgets it, and after
// retention. Pages of a histogram add up to it, whatever a page may read. A run or a place that is missing in
// the index makes them wrong.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventFilter } from "../search/rules/event-filter.ts";
import { type KeyRange, keysFrom } from "../search/rules/segment.ts";
import {
  backfillField,
  declareField,
  EDGES,
  EVENTS,
  facetOf,
  fieldOf,
  filters,
  groupBy,
  indexSegments,
  insertCounted,
  NAMES,
  UNFILTERED,
} from "../testing/count-fixtures.ts";
import { countedRows, type CountedRow } from "../testing/counted-rows.ts";
import { newLedgerDatabase, openPool } from "../testing/database.ts";
import { FIELDS } from "../testing/declared-values.ts";
import { changeEntry, FRESH, SEALED } from "../testing/segment-fixtures.ts";
import { CLIENT_BOUNDS } from "./bounds.ts";
import { countEvents, type Histogram } from "./count-events.ts";
import { countValues } from "./count-values.ts";
import type { CountedField } from "./rules/counted-field.ts";

const ACCOUNT = "acct_1";
const RUNS = 6;
const NARROW = { ...CLIENT_BOUNDS, bytes: 200_000, keys: 4_000, events: 900, textBytes: 300_000 };
const WIDE = { bytes: 1e9, keys: 1e9, events: 1e6, values: 1e6, rows: 1e9, textBytes: 1e9 };

let database: TestDatabase;
let pool: Pool;
let rows: readonly CountedRow[];

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  pool = openPool(database.url, { atEnd: afterAll });
  await insertCounted(database, ACCOUNT);
  rows = await countedRows(database);
}, 240_000);

const call = (text: string) =>
  pool.run<[], Record<string, unknown>>(
    { name: "test.call", text, route: "local", customPlan: true },
    [],
  );

/** Counts all pages, and adds them. */
async function countAll(
  filter: EventFilter,
  edges: readonly number[],
  name: string | undefined,
  bounds = WIDE,
) {
  const by = name === undefined ? undefined : fieldOf(name);
  const found: Record<string, number> = {};
  let total = 0;
  let pages = 0;
  let values: readonly string[] | undefined;
  let before = filter.beforeSequence;
  for (;;) {
    const asked = { ...filter, ...(before !== undefined && { beforeSequence: before }) };
    const search = { accountId: ACCOUNT, filter: asked, edges, by, values, bounds };
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before has ended
    const page: Histogram = await countEvents(pool, search);
    pages += 1;
    values ??= page.values;
    total += page.total;
    for (const { bar, count, value } of page.bars) {
      const key = `${edges[bar]} ${value}`;
      found[key] = count + (found[key] ?? 0);
    }
    if (page.isComplete) return { found, total, values, pages };
    expect(page.reached).toBeLessThan(Number(before ?? EVENTS + 1));
    before = BigInt(page.reached);
  }
}

const asked = fc.record({
  filter: filters,
  edges: fc.constantFrom(EDGES.days, EDGES.halves, EDGES.odd),
  name: fc.option(fc.constantFrom(...NAMES), { freq: 4, nil: undefined }),
  bounds: fc.constantFrom(WIDE, WIDE, NARROW),
});

/** Without it, what random filters ask for may match nothing. */
const ALL = { bounds: WIDE, edges: EDGES.days, name: "outcome" } as const;

const EVERY = { accountId: ACCOUNT, filter: {}, keys: undefined, limit: 5 };

const isNamedDeclared = (name: string | undefined) => name?.startsWith("field.") === true;

/** Compares histograms. Resolves to how many events they counted. */
async function checkHistograms(all: EventFilter): Promise<number> {
  let counted = 0;
  const property = fc.asyncProperty(asked, async ({ bounds, edges, filter: given, name }) => {
    const filter = isNamedDeclared(name)
      ? { afterSequence: 60_000n, beforeSequence: 66_000n, ...given }
      : given;
    const { found, total, values } = await countAll(filter, edges, name, bounds);
    const right = groupBy(rows, filter, edges, name, values);
    counted += total;
    expect({ found, total }).toEqual(right);
  });
  await fc.assert(property, { numRuns: RUNS, examples: [[{ ...ALL, filter: all }]] });
  return counted;
}

async function facets(
  filter: EventFilter,
  [first = "", ...more]: readonly string[],
  limit: number,
  keys?: KeyRange,
) {
  const fields = [fieldOf(first), ...more.map(fieldOf)] as const;
  const search = { accountId: ACCOUNT, filter, fields, keys, limit, bounds: WIDE };
  const found = await countValues(pool, search);
  expect(found.every(({ isComplete }) => isComplete)).toBe(true);
  return found;
}

async function facet(filter: EventFilter, name: string, limit: number, keys?: KeyRange) {
  return (await facets(filter, [name], limit, keys))[0];
}

async function checkFacets(examples: typeof UNFILTERED): Promise<void> {
  const property = fc.asyncProperty(
    filters,
    fc.constantFrom(...NAMES),
    fc.constantFrom(3, 50),
    async (given, name, limit) => {
      const filter = isNamedDeclared(name)
        ? { afterSequence: 60_000n, beforeSequence: 66_000n, ...given }
        : given;
      expect(await facet(filter, name, limit)).toMatchObject(facetOf(rows, filter, name, limit));
    },
  );
  await fc.assert(property, { numRuns: RUNS, examples });
}

/** Resolves to how many events the histograms counted. */
async function checkAll(): Promise<number> {
  await checkFacets(UNFILTERED);
  return checkHistograms({});
}

const index = (from: number, to: number) => indexSegments(call, ACCOUNT, from, to);
const declare = (field: number, from: number) => declareField(database, ACCOUNT, field, from);
const backfill = (field: number, steps?: number) => backfillField(call, ACCOUNT, field, steps);

test("without an index", async () => {
  await checkFacets([]);
  expect(await checkHistograms({ afterSequence: 66_000n })).toBeGreaterThan(0);
}, 240_000);

test("fresh, with fields of all events, and of the newest", async () => {
  await declare(16, 0);
  await index(0, 9 * FRESH);
  await declare(17, 9 * FRESH);
  await declare(18, 9 * FRESH);
  await index(9 * FRESH, SEALED + FRESH);
  await declare(19, SEALED + FRESH);
  await backfill(17, 3);
  await backfill(19, 3);
  expect(await checkAll()).toBeGreaterThan(0);
}, 240_000);

test("sealed with a part of a field, and with all of it", async () => {
  await call(`SELECT ledger.seal_segment('${ACCOUNT}', 0)`);
  expect(await checkAll()).toBeGreaterThan(0);
  for (const { field } of FIELDS)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await backfill(field);
  await index(SEALED + FRESH, EVENTS - 300);
  expect(await checkAll()).toBeGreaterThan(0);
}, 240_000);

test("values that begin with a text", async () => {
  for (const [name, prefix] of [
    ["action", "a."],
    ["field.tags", "t2"],
    ["actor_id", "u_49"],
  ] as const) {
    const before = `${prefix.slice(0, -1)}${String.fromCodePoint(1 + (prefix.codePointAt(prefix.length - 1) ?? 0))}`;
    const filter = { afterSequence: 60_000n, beforeSequence: 66_000n };
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const found = await facet(filter, name, 5, keysFrom(prefix, before));
    expect(found).toMatchObject(facetOf(rows, filter, name, 5, prefix));
  }
});

test("several fields at once, each as by itself", async () => {
  const names = ["action", "outcome", "field.tags"];
  const filter = { afterSequence: 66_000n, not: { actions: ["a.3"] } };
  const right = names.map((name) => facetOf(rows, filter, name, 5));
  expect(await facets(filter, names, 5)).toMatchObject(right);
});

test("of what is behind the index, fields in parts share the events", async () => {
  const bounds = { ...WIDE, events: 100, values: 200 };
  const counted = async (...names: readonly [string, ...string[]]) => {
    const fields = names.map(fieldOf) as [CountedField, ...CountedField[]];
    return (await countValues(pool, { ...EVERY, fields, bounds })).map(({ events }) => events);
  };
  expect(await counted("action", "actor_id", "outcome", "field.tags")).toEqual([
    100, 100, 100, 100,
  ]);
  expect(await counted("outcome", "field.tags", "field.ms", "action")).toEqual([66, 66, 66, 66]);
});

test("without a filter, a column is counted by sums: its places do not fit", async () => {
  const isExact = async (name: string) => {
    const search = {
      ...EVERY,
      fields: [fieldOf(name)] as const,
      bounds: { ...WIDE, bytes: 60_000 },
    };
    return (await countValues(pool, search))[0]?.isComplete;
  };
  expect([await isExact("action"), await isExact("outcome")]).toEqual([true, false]);
});

test("a budget of one event and one byte: pages of one event add up", async () => {
  const filter = { afterSequence: BigInt(EVENTS - 310), actions: ["a.3"] };
  const one = { bytes: 1, keys: 1, events: 1, values: 1, rows: 1, textBytes: 1 };
  const { found, pages, total, values } = await countAll(filter, EDGES.days, "outcome", one);
  expect({ found, total }).toEqual(groupBy(rows, filter, EDGES.days, "outcome", values));
  expect(pages).toBe(310);
});

test("erased, before and after the index forgets it", async () => {
  const erased = "sequence_number % 11 = 0 AND sequence_number < 30000";
  await database.query(
    `INSERT INTO ledger.unindexed SELECT account_id, sequence_number, 2, actor_id FROM ledger.events
     WHERE ${erased} AND actor_id IS NOT NULL;
     INSERT INTO ledger.unindexed
     SELECT account_id, sequence_number, 6, key, place FROM ledger.events
     CROSS JOIN LATERAL unnest(ledger.keys_of(metadata, '{outcome}', 'string', false))
       WITH ORDINALITY AS outcome (key, place)
     WHERE ${erased};
     UPDATE ledger.events SET actor_id = NULL, actor_type = NULL, metadata = '{}', erased = 9 WHERE ${erased}`,
  );
  rows = await countedRows(database);
  const first = { beforeSequence: 4_097n, not: { actorIds: ["u_7", "u_213"] } };
  const check = async () => {
    expect(await facet(first, "actor_id", 20)).toMatchObject(facetOf(rows, first, "actor_id", 20));
    expect(await checkAll()).toBeGreaterThan(0);
  };
  await check();
  await call(`SELECT ledger.unindex('${ACCOUNT}')`);
  await check();
}, 240_000);

test("after retention", async () => {
  const gone = 5_000;
  await database.query(
    `UPDATE ledger.events SET actor = '{}', context = '{}', metadata = '{}', erased = 63, actor_id = NULL, actor_type = NULL,
       target_id = NULL, target_type = NULL WHERE sequence_number <= ${gone};
     DELETE FROM ledger.events WHERE sequence_number <= 4_864`,
  );
  await database.query(
    "INSERT INTO ledger.lifecycles (account_id, records_from, deleted_through, min_index) VALUES ($1, 0, $2, 4864)",
    [ACCOUNT, gone],
  );
  rows = (await countedRows(database)).filter(({ number }) => number > gone);
  expect(await checkAll()).toBeGreaterThan(0);
}, 240_000);

test("a missing run and a missing place are seen", async () => {
  const filter = { afterSequence: 69_632n, beforeSequence: 73_000n, actions: ["a.3"] };
  const right = groupBy(rows, filter, EDGES.days, undefined, []);
  const found = async () => {
    const { found: bars, total } = await countAll(filter, EDGES.days, undefined);
    return { found: bars, total };
  };
  expect(await found()).toEqual(right);
  const chunk = `account_id = '${ACCOUNT}' AND level = 0 AND base = ${SEALED + FRESH}`;
  await database.query(
    `CREATE TABLE before AS SELECT quarters FROM ledger.segments WHERE ${chunk};
     UPDATE ledger.segments SET quarters = substring(quarters FROM 7) || int4send(0) || substring(quarters FROM 5 FOR 2)
     WHERE ${chunk}`,
  );
  expect(await found()).not.toEqual(right);
  await database.query(
    `UPDATE ledger.segments SET quarters = (SELECT quarters FROM before) WHERE ${chunk}`,
  );
  expect(await found()).toEqual(right);
  const place = { field: 1, key: "a.3", base: SEALED + FRESH };
  await changeEntry(database, ACCOUNT, place, (places) => places.slice(1));
  expect(await found()).not.toEqual(right);
});
