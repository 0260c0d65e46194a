// Guarantee: a search finds what a plain scan of all events finds, in order, in fresh and in sealed segments,
// by columns and by what is in a part, also where it leaves events out; while they are sealed or made fresh
// again between two statements, before and after what an erasure has queued is taken out of the index, and
// after retention has entered a sealed segment.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { indexAll } from "../testing/index-fixtures.ts";
import { type LifecycleFixtures, openLifecycleFixtures } from "../testing/lifecycle-fixtures.ts";
import {
  FRESH,
  indexSparse,
  insertEvents,
  SEALED,
  SPARSE,
  sparse,
} from "../testing/segment-fixtures.ts";
import type { EventFilter, FieldValues } from "./rules/event-filter.ts";
import { Budget } from "./budget.ts";
import { findNumbers } from "./find-numbers.ts";
import { matchesOf } from "./matches.ts";

const ACCOUNT = "acct_1";
const COUNT = (SEALED + 2 * FRESH + 512) / SPARSE;
const EVENTS = sparse(COUNT);
const INDEXED = SEALED + 2 * FRESH;
const RUNS = 25;

/** Some values are on nearly all events, some on a few; some are too long for a key. */
const VALUES = `CASE WHEN n % 900 = 7 THEN 'rare' ELSE 'job.' || n % 300 END,
  CASE WHEN n % 5 > 0 THEN 'u_' || n % 4000 END, 'user',
  CASE WHEN n % 2000 = 3 THEN repeat('ü', 200) ELSE 't_' || n % 7 END, CASE WHEN n % 2 = 0 THEN 'thing' END, 0`;

/** Most have one outcome; of some it is no text, an array, too long for a key, or too much. */
const METADATA = `CASE WHEN n % 100 = 5 THEN '{"outcome":"failure","z":"\\"outcome\\":\\"denied\\""}'
  WHEN n % 300 = 6 THEN '{"outcome":["denied",true,["success"],{"outcome":"success"}]}'
  WHEN n % 900 = 8 THEN '{"outcome":"' || repeat('ü', 200) || '"}'
  WHEN n % 900 = 9 THEN '{"outcome":[' || (SELECT string_agg(i::text, ',') FROM generate_series(1, 17) AS i) || ']}'
  WHEN n % 2000 = 12 THEN '{"outcome":"denied","z":"' || repeat('x', 20000) || '"}'
  WHEN n % 900 = 10 THEN '{"note":"denied"}'
  WHEN n % 900 = 11 THEN '{"in":{"outcome":"denied"}}'
  WHEN n % 4 = 0 THEN '{"outcome":"success"}' ELSE '{}' END`;

interface Row {
  readonly number: number;
  readonly outcomes: readonly string[];
  readonly action: string;
  readonly actor: string | null;
  readonly target: string | null;
  readonly type: string | null;
  readonly occurred: string;
}

let world: LifecycleFixtures;
let database: TestDatabase;
let pool: Pool;
let rows: Row[];

beforeAll(async () => {
  world = await openLifecycleFixtures();
  [database, pool] = [world.owner, world.pool];
  await insertEvents(database, ACCOUNT, COUNT, {
    values: VALUES,
    metadata: METADATA,
    every: SPARSE,
  });
  await call(`SELECT ledger.begin_lifecycle('${ACCOUNT}')`);
  await load();
});

async function load(): Promise<void> {
  const stored = await database.query<Row & { readonly metadata: string }>(
    `SELECT sequence_number::int AS number, action, actor_id AS actor, target_id AS target, target_type AS type,
       occurred_at AS occurred, metadata FROM ledger.events WHERE erased & 32 = 0 ORDER BY 1`,
  );
  rows = stored.map(({ metadata, ...row }) => ({ ...row, outcomes: outcomesOf(metadata) }));
}

/** The plain definition: a scalar, or those of an array. */
function outcomesOf(metadata: string): string[] {
  const { outcome = [] } = JSON.parse(metadata) as { readonly outcome?: unknown };
  return (Array.isArray(outcome) ? outcome : [outcome])
    .filter((each) => typeof each !== "object")
    .map(String);
}

const outcomes = (values: readonly string[]): FieldValues => ({
  name: "outcome",
  path: ["metadata", "outcome"],
  type: "string",
  ignoreCase: false,
  values,
});
const timeOf = (number: number): string => `occurred ${String(number).padStart(9, "0")}`;
const some = (value: fc.Arbitrary<string>) => fc.array(value, { minLength: 1, maxLength: 3 });
const place = fc.integer({ min: 0, max: EVENTS + 2 });
const filters: fc.Arbitrary<EventFilter> = fc
  .tuple(
    fc.record({
      actions: some(fc.constantFrom("rare", "job.7", "job.299", "absent")),
      actionPrefixes: some(fc.constantFrom("r", "job.1", "job.29", "", "x")),
      actorIds: some(fc.integer({ min: 0, max: 4_100 }).map((n) => `u_${n}`)),
      targetIds: some(fc.constantFrom("t_1", "t_6", "ü".repeat(200), "ü".repeat(201))),
      targetTypes: some(fc.constantFrom("thing", "absent")),
      fields: fc.array(
        some(
          fc.constantFrom(
            "failure",
            "denied",
            "success",
            "true",
            "17",
            "absent",
            "ü".repeat(200),
            "*",
            "f*",
            "de*",
            "1*",
            "ü*",
          ),
        ).map(outcomes),
        { minLength: 1, maxLength: 2 },
      ),
      not: fc.constantFrom(
        { fields: [outcomes(["success", "3"])] },
        { actions: ["rare"], actionPrefixes: ["job.2"], fields: [outcomes(["fail*"])] },
        { actorIds: ["u_1", "u_2"], targetIds: ["t_1", "ü".repeat(200)] },
        { targetTypes: ["thing"], actorTypes: ["absent"] },
      ),
      occurredFrom: place.map(timeOf),
      occurredTo: place.map(timeOf),
      afterSequence: place.map(BigInt),
      beforeSequence: place.map(BigInt),
    }),
    fc.subarray(
      [
        "actions",
        "actorIds",
        "targetIds",
        "targetTypes",
        "fields",
        "not",
        "occurredFrom",
        "occurredTo",
      ] as const,
      { minLength: 1, maxLength: 3 },
    ),
    fc.subarray(["actionPrefixes", "afterSequence", "beforeSequence"] as const),
  )
  .map(([all, one, other]) =>
    Object.fromEntries([...one, ...other].map((name) => [name, all[name]])),
  );

function scan(filter: EventFilter): number[] {
  const { actionPrefixes, actions, actorIds, fields = [], not = {} } = filter;
  const { targetIds, targetTypes } = filter;
  const isSelected = ({ values }: FieldValues, own: readonly string[]) =>
    values.some((value) =>
      own.some((each) =>
        value.endsWith("*") ? each.startsWith(value.slice(0, -1)) : each === value,
      ),
    );
  const has = (wanted: readonly string[] = [], ...values: readonly (string | null)[]) =>
    values.some((value) => value !== null && wanted.includes(value));
  const isOf = (wanted: readonly string[] | undefined, ...values: readonly (string | null)[]) =>
    wanted === undefined || has(wanted, ...values);
  const isOut = ({ action, actor, outcomes: own, target, type }: Row) =>
    has(not.actions, action) ||
    (not.actionPrefixes ?? []).some((prefix) => action.startsWith(prefix)) ||
    has(not.actorIds, actor) ||
    has(not.targetIds, target) ||
    has(not.targetTypes, type) ||
    (not.fields ?? []).some((field) => isSelected(field, own));
  return rows
    .filter((row) => !isOut(row))
    .filter(
      ({ action, actor, number, occurred, outcomes: own, target, type }) =>
        number > (filter.afterSequence ?? 0n) &&
        number < (filter.beforeSequence ?? Infinity) &&
        (isOf(actions ?? (actionPrefixes && []), action) ||
          (actionPrefixes ?? []).some((prefix) => action.startsWith(prefix))) &&
        isOf(actorIds, actor) &&
        isOf(targetIds, target) &&
        isOf(targetTypes, type) &&
        fields.every((field) => isSelected(field, own)) &&
        occurred >= (filter.occurredFrom ?? "") &&
        occurred < (filter.occurredTo ?? "p"),
    )
    .map(({ number }) => number);
}

/** What a search finds and the readers of events, which compare them again, then keep. */
async function search(on: Pool, filter: EventFilter, ascending: boolean): Promise<number[]> {
  const numbers: number[] = [];
  const asked = { accountId: ACCOUNT, ascending, filter };
  for await (const step of findNumbers(on, asked, new Budget(Infinity)))
    numbers.push(...step.numbers);
  const kept = new Set(await matchesOf(on, asked, numbers));
  return numbers.filter((number) => kept.has(number));
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

/** Searches for a value of a few events; something happens after the segments were planned. */
async function searchWhile(change: () => Promise<unknown>) {
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
  return { found: await search({ ...pool, run }, RARE, true), plans };
}

const RARE = { actions: ["rare", "job.7"] };

const call = (text: string) =>
  pool.run({ name: "test.call", text, route: "local", customPlan: true }, []);
const MADE_FRESH = `DELETE FROM ledger.blocks WHERE level = 1; DELETE FROM ledger.segments WHERE level = 1;
  SELECT ledger.make_blocks('${ACCOUNT}', base) FROM ledger.segments WHERE base < ${SEALED}`;

test("fresh, sealed, and in between", async () => {
  await indexSparse(database, ACCOUNT, 0, INDEXED);
  expect(await checkAll()).toBeGreaterThan(0);
  // It plans again where the segments are others.
  const again = { found: scan(RARE), plans: 2 };
  const seal = () => call(`SELECT ledger.seal_segment('${ACCOUNT}', 0)`);
  expect(await searchWhile(seal)).toEqual(again);
  expect(await searchWhile(() => Promise.resolve())).toEqual({ ...again, plans: 1 });
  expect(await checkAll()).toBeGreaterThan(0);
  expect(await searchWhile(() => database.query(MADE_FRESH))).toEqual(again);
  await indexAll(pool);
  expect(await checkAll()).toBeGreaterThan(0);
}, 240_000);

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
  await load();
  expect(await checkAll()).toBeGreaterThan(0);
  await call(`SELECT ledger.unindex('${ACCOUNT}')`);
  expect(await checkAll()).toBeGreaterThan(0);
}, 240_000);

test("after retention has entered the sealed segment", async () => {
  const sealed = () => database.query("SELECT FROM ledger.segments WHERE level = 1");
  expect(await sealed()).toHaveLength(1);
  await world.deleteThrough(ACCOUNT, 3_000);
  expect(await sealed()).toEqual([]);
  await load();
  expect(rows[0]?.number).toBeGreaterThan(3_000);
  expect(await checkAll()).toBeGreaterThan(0);
}, 240_000);
