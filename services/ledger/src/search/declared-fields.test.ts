// Guarantee: a search by declared fields finds what a plain scan of all events finds, in order, by texts,
// numbers, networks and times, and where it leaves events out: while the index has a field of the newest
// events only, while it is sealed with a part of a field, when it has all of it, and when the field is
// deleted.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newLedgerDatabase, openPool } from "../testing/database.ts";
import { CONTEXT, type Declared, FIELDS, SELECTS } from "../testing/declared-values.ts";
import {
  FRESH,
  indexSparse,
  insertEvents,
  SEALED,
  SPARSE,
  sparse,
} from "../testing/segment-fixtures.ts";
import { Budget } from "./budget.ts";
import { findNumbers } from "./find-numbers.ts";
import { matchesOf } from "./matches.ts";
import type { EventFilter, FieldValues } from "./rules/event-filter.ts";

const ACCOUNT = "acct_1";
const COUNT = (SEALED + 2 * FRESH + 512) / SPARSE;
const EVENTS = sparse(COUNT);
const RUNS = 12;
/** Numbers of a search at most: each event is parsed where the index does not have the field. */
const WIDTH = 16_000;

interface Row {
  readonly number: number;
  readonly action: string;
  readonly context: Readonly<Record<string, unknown>>;
}

let database: TestDatabase;
let pool: Pool;
let rows: Row[];

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  pool = openPool(database.url, { atEnd: afterAll });
  await insertEvents(database, ACCOUNT, COUNT, { context: CONTEXT, every: SPARSE });
  const stored = await database.query<{ number: number; action: string; context: string }>(
    "SELECT sequence_number::int AS number, action, context FROM ledger.events ORDER BY 1",
  );
  rows = stored.map((row) => ({ ...row, context: JSON.parse(row.context) }));
});

const call = (text: string) =>
  pool.run<[], Record<string, unknown>>(
    { name: "test.call", text, route: "local", customPlan: true },
    [],
  );

const declare = ({ field, ignoreCase, name, type }: Declared, fromBase: number) =>
  database.query(
    `INSERT INTO ledger.fields VALUES ($1, $2, $3, $4, $5, $6, $7, $7, '2026-01-01', NULL)`,
    [ACCOUNT, field, name, ["context", name], type, ignoreCase, fromBase],
  );

/** Takes a backfill up to some steps further. Resolves to whether something may be left. */
async function backfill(field: number, steps = Infinity): Promise<boolean> {
  for (let step = 0; step < steps; step += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const [row] = await call(`SELECT ledger.index_field('${ACCOUNT}', ${field}::smallint) AS more`);
    if (row?.["more"] !== true) return false;
  }
  return true;
}

const fromBases = async () =>
  (
    await database.query("SELECT from_base::int, made_from::int FROM ledger.fields ORDER BY field")
  ).map((row) => [row["from_base"], row["made_from"]]);

const asked = fc
  .constantFrom(...FIELDS)
  .chain(({ ignoreCase, name, type }) =>
    fc
      .array(fc.constantFrom(...Object.keys(SELECTS[name] ?? {})), { minLength: 1, maxLength: 2 })
      .map((values): FieldValues => ({ name, path: ["context", name], type, ignoreCase, values })),
  );
const filters: fc.Arbitrary<EventFilter> = fc
  .record({
    fields: fc.array(asked, { minLength: 1, maxLength: 2 }),
    not: fc.option(asked, { freq: 4, nil: undefined }),
    actions: fc.option(fc.constant(["a.3", "a.5"]), { freq: 3, nil: undefined }),
    after: fc.integer({ min: -WIDTH, max: EVENTS }),
  })
  .map(({ actions, after, fields, not }) => ({
    fields,
    afterSequence: BigInt(Math.max(after, 0)),
    beforeSequence: BigInt(Math.max(after, 0) + WIDTH),
    ...(not && { not: { fields: [not] } }),
    ...(actions && { actions }),
  }));

const isSelected = ({ context }: Row, { name, values }: FieldValues): boolean =>
  [context[name] ?? []]
    .flat()
    .some((own) => values.some((value) => SELECTS[name]?.[value]?.(own) === true));

function scan({ actions, fields = [], not, ...range }: EventFilter): number[] {
  const { afterSequence = 0n, beforeSequence = BigInt(EVENTS + 1) } = range;
  return rows
    .filter(
      (row) =>
        row.number > afterSequence &&
        row.number < beforeSequence &&
        (!actions || actions.includes(row.action)) &&
        fields.every((field) => isSelected(row, field)) &&
        !(not?.fields ?? []).some((field) => isSelected(row, field)),
    )
    .map((row) => row.number);
}

async function search(on: Pool, filter: EventFilter, ascending: boolean): Promise<number[]> {
  const numbers: number[] = [];
  const wanted = { accountId: ACCOUNT, ascending, filter };
  for await (const step of findNumbers(on, wanted, new Budget(Infinity)))
    numbers.push(...step.numbers);
  const kept = new Set(await matchesOf(on, wanted, numbers));
  return numbers.filter((each) => kept.has(each));
}

/** Compares searches with scans. Resolves to how many events they found. */
async function checkAll(): Promise<number> {
  let found = 0;
  const property = fc.asyncProperty(filters, fc.boolean(), async (filter, ascending) => {
    const right = scan(filter);
    found += right.length;
    expect(await search(pool, filter, ascending)).toEqual(ascending ? right : right.toReversed());
  });
  await fc.assert(property, { numRuns: RUNS });
  return found;
}

const valuesOf = (name: string, ...values: string[]): EventFilter => {
  const { ignoreCase, type } = FIELDS.find((each) => each.name === name) ?? expect.fail(name);
  return { fields: [{ name, path: ["context", name], type, ignoreCase, values }] };
};

/** Searches; something happens after the segments were planned. Resolves to how often they were. */
async function searchWhile(filter: EventFilter, change: () => Promise<unknown>) {
  let plans = 0;
  let isChanged = false;
  const run: Pool["run"] = async (given, params) => {
    plans += Number(given.name === "ledger.find-segments");
    if (given.name === "ledger.find-places" && !isChanged) {
      isChanged = true;
      await change();
    }
    return pool.run(given, params);
  };
  return { found: await search({ ...pool, run }, filter, true), plans };
}

const LAST_FRESH = SEALED + FRESH;
const index = (from: number, to: number) => indexSparse(database, ACCOUNT, from, to);

test("each value of each type, without an index", async () => {
  for (const { name } of FIELDS)
    for (const value of Object.keys(SELECTS[name] ?? {})) {
      const filter = { ...valuesOf(name, value), beforeSequence: BigInt(sparse(1_100)) };
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect({ name, value, found: await search(pool, filter, true) }).toEqual({
        name,
        value,
        found: scan(filter),
      });
    }
}, 240_000);

test("fields of all events, and fields of the newest", async () => {
  const [ip, ms, at, tags] = FIELDS as [Declared, Declared, Declared, Declared];
  await declare(ip, 0);
  await index(0, 9 * FRESH);
  await declare(ms, 9 * FRESH);
  await declare(at, 9 * FRESH);
  await index(9 * FRESH, LAST_FRESH + FRESH);
  await declare(tags, LAST_FRESH + FRESH);
  expect(await checkAll()).toBeGreaterThan(0);
  expect(await backfill(ms.field, 3)).toBe(true);
  expect(await backfill(tags.field, 4)).toBe(true);
  expect(await fromBases()).toEqual([
    [0, 0],
    [6 * FRESH, 6 * FRESH],
    [9 * FRESH, 9 * FRESH],
    [14 * FRESH, 14 * FRESH],
  ]);
  expect(await checkAll()).toBeGreaterThan(0);
}, 240_000);

test("sealed with a part of a field, meanwhile and after", async () => {
  const filter = valuesOf("ms", "5");
  const seal = () => call(`SELECT ledger.seal_segment('${ACCOUNT}', 0)`);
  const { found, plans } = await searchWhile(filter, seal);
  expect(found).toEqual(scan(filter));
  expect(plans).toBeGreaterThan(1);
  expect(await fromBases()).toEqual([
    [0, 0],
    [SEALED, 6 * FRESH],
    [SEALED, 9 * FRESH],
    [SEALED, 14 * FRESH],
  ]);
  expect(await checkAll()).toBeGreaterThan(0);
  expect(await backfill(17, 2)).toBe(true);
  expect((await fromBases())[1]).toEqual([SEALED, 4 * FRESH]);
  expect(await checkAll()).toBeGreaterThan(0);
}, 240_000);

test("with all of them, the index has no block but those of whole segments", async () => {
  for (const { field } of FIELDS)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await backfill(field)).toBe(false);
  expect(await fromBases()).toEqual(FIELDS.map(() => [0, 0]));
  const wrong = await database.query(
    "SELECT FROM ledger.blocks WHERE level = 0 AND base < $1 AND field >= 16",
    [SEALED],
  );
  expect(wrong).toEqual([]);
  expect(await checkAll()).toBeGreaterThan(0);
}, 240_000);

test("events whose part is too large for the index are found", async () => {
  const isLarge = ({ context }: Row) => JSON.stringify(context).length > 16_384;
  const large = rows.filter(isLarge).map(({ number }) => number);
  const [block] = await database.query<{ places: Buffer }>(
    "SELECT places FROM ledger.blocks WHERE field = 17 AND base = 0 AND first = ''",
  );
  // The index has them under the key that every search looks up, and not under their value.
  expect(block?.places.readUInt16BE(0)).toBe((large[0] ?? 0) - 1);
  const filter = valuesOf("ms", "5");
  const found = await search(pool, filter, true);
  expect(found).toEqual(scan(filter));
  expect(found).toEqual(expect.arrayContaining(large));
}, 240_000);

test("a field that is deleted while a search reads its index, and after", async () => {
  const filter = valuesOf("tags", "a", "T29*");
  const right = scan(filter);
  const forgotten = async () => {
    await database.query("UPDATE ledger.fields SET deleted_at = '2026-01-02' WHERE field = 19");
    for (let isMore = true; isMore;) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const [row] = await call(`SELECT ledger.forget_field('${ACCOUNT}', 19::smallint) AS more`);
      isMore = row?.["more"] === true;
    }
  };
  const { found } = await searchWhile(filter, forgotten);
  expect(found).toEqual(right);
  expect(await database.query("SELECT FROM ledger.blocks WHERE field = 19")).toEqual([]);
  // Its number stays, and its name and path do not.
  expect(await database.query("SELECT name, path FROM ledger.fields WHERE field = 19")).toEqual([
    { name: "", path: [] },
  ]);
  expect(await checkAll()).toBeGreaterThan(0);
}, 240_000);
