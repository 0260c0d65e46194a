// Guarantee: a fresh segment says of each value what its events say, in the order of their numbers: with
// erased and missing values, with leaves that retention has left, with values that are too long for a key,
// with one value and with as many as there are events, whatever plan PostgreSQL prefers and however little
// memory it may use. A sealed segment is, byte for byte, what its events would give.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newLedgerDatabase, openPool } from "../../testing/database.ts";
import {
  blocksOf,
  entriesOfBlocks,
  entriesOfEvents,
  FRESH,
  indexSparse,
  insertEvents,
  KINDS,
  OUTCOMES,
  SEALED,
  segmentsOf,
  SPARSE,
} from "../../testing/segment-fixtures.ts";
import { withoutCondition } from "../../testing/without-condition.ts";

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  pool = openPool(database.url, { atEnd: afterAll });
});

const call = (text: string) =>
  ({ name: "test.call", text, route: "local", customPlan: true }) as const;

/** Runs a function with the rights of the service, and with a setting. */
async function run(
  name: string,
  accountId: string,
  base: number,
  setting = "search_path = ledger",
) {
  return pool.transaction(async (transaction) => {
    await transaction.run(call(`SET LOCAL ${setting}`), []);
    const [row] = await transaction.run<readonly unknown[], { readonly done: unknown }>(
      call(`SELECT ledger.${name}($1, $2::bigint) AS done`),
      [accountId, base],
    );
    return row?.done;
  });
}

const index = (accountId: string, base: number, setting?: string) =>
  run("index_segment", accountId, base, setting);
const seal = (accountId: string, base: number) => run("seal_segment", accountId, base);

const forget = (accountId: string) =>
  database.query(
    `DELETE FROM ledger.blocks WHERE account_id = '${accountId}'; DELETE FROM ledger.segments WHERE account_id = '${accountId}'`,
  );

/** The least memory that there is, and a sort in place of hashing, if there is such a plan. */
const SETTINGS = [
  "search_path = ledger",
  "work_mem = '64kB'",
  "enable_hashagg = off",
  "enable_sort = off",
];

test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
  "%s: a fresh segment says what its events say",
  async (kind) => {
    await insertEvents(database, kind, FRESH, { values: KINDS[kind], metadata: OUTCOMES });
    if (kind === "deleted")
      await database.query(
        `DELETE FROM ledger.events WHERE account_id = 'deleted' AND sequence_number <= 256;
         INSERT INTO ledger.lifecycles (account_id, records_from, deleted_through, min_index)
         VALUES ('deleted', 0, 300, 256)`,
      );
    const made: unknown[] = [];
    for (const setting of SETTINGS) {
      await forget(kind);
      made.push([await index(kind, 0, setting), await entriesOfBlocks(database, kind)]);
    }
    const right = [true, await entriesOfEvents(database, kind)];
    expect(made).toEqual(SETTINGS.map(() => right));
    await database.query("ANALYZE ledger.events");
  },
);

test("blocks are ascending and small, and a value with many events has one of its own", async () => {
  const blocks = await blocksOf(database, "some");
  const wrong = blocks.filter(
    ({ counts, first, keys, places }) =>
      first !== keys[0] ||
      (counts === null) !== (places.length > 3_000 && keys.length === 1) ||
      (counts !== null && places.length + keys.join("").length + 6 * keys.length > 9_000) ||
      keys.some(
        (key, at) =>
          at > 0 && Buffer.compare(Buffer.from(keys[at - 1] ?? ""), Buffer.from(key)) >= 0,
      ),
  );
  expect(wrong).toEqual([]);
  expect(blocks.filter(({ field }) => field === 4).length).toBeGreaterThan(5);
  expect(blocks.filter(({ counts }) => counts === null).map(({ first }) => first)).toEqual([
    "user",
    "invoice",
  ]);
});

test("control: grouped by a sort of the values, places are not in order", async () => {
  await forget("some");
  const sorted = ["make_blocks", "GROUP BY target_id, hashed", "GROUP BY target_id"] as const;
  await withoutCondition(database, sorted, () => index("some", 0, "enable_hashagg = off"));
  const [right, made] = [
    await entriesOfEvents(database, "some"),
    await entriesOfBlocks(database, "some"),
  ];
  expect(made.map(([, key]) => key)).toEqual(right.map(([, key]) => key));
  expect(made).not.toEqual(right);
});

test("segments are added in order, once, and only if all of their events are there", async () => {
  await insertEvents(database, "order", 2 * FRESH, { values: KINDS.one });
  expect(await index("order", FRESH)).toBe(false);
  expect(await index("order", 1)).toBe(false);
  expect(await index("order", 0)).toBe(true);
  expect(await index("order", 0)).toBe(false);
  await database.query(
    "DELETE FROM ledger.events WHERE account_id = 'order' AND sequence_number = 5000",
  );
  expect(await index("order", FRESH)).toBe(false);
  const [earliest, latest] = ["occurred 000000001", "occurred 000004096"];
  expect(await segmentsOf(database, "order")).toEqual([{ level: 0, base: 0, earliest, latest }]);
  expect(await entriesOfBlocks(database, "order")).toEqual(
    await entriesOfEvents(database, "order", 0, FRESH),
  );
});

/** Makes the blocks of a sealed segment from its events, in the account `copied`. */
const MADE_FROM_EVENTS = `
  WITH entries AS (
    SELECT field, key, string_agg(substring(int4send(((sequence_number - 1) % 65536)::integer) FROM 3), ''::bytea
      ORDER BY sequence_number) AS places
    FROM ledger.events CROSS JOIN LATERAL (VALUES (1::smallint, action), (2::smallint, actor_id),
      (3::smallint, actor_type), (4::smallint, target_id), (5::smallint, target_type),
      (6::smallint, metadata::json ->> 'outcome')) AS copies (field, value)
    CROSS JOIN LATERAL (SELECT CASE WHEN octet_length(value) > 256 THEN '' ELSE value END AS key) AS keyed
    WHERE account_id = $1 AND sequence_number > $2 AND sequence_number <= $2 + 65536 AND value IS NOT NULL
    GROUP BY field, key
  )
  SELECT ledger.store_blocks('copied', 1, $2, array_agg(field), array_agg(key), array_agg(places)) FROM entries`;

/** Every place of a segment is taken where all events have one value. */
test.each([
  { kind: "one", every: undefined },
  { kind: "some", every: SPARSE },
] as const)(
  "$kind: a sealed segment is what its events would give, and takes the place of the fresh ones",
  async ({ every, kind }) => {
    const accountId = `sealed_${kind}`;
    const length = SEALED + FRESH;
    const given = { values: KINDS[kind], metadata: OUTCOMES, ...(every && { every }) };
    await insertEvents(database, accountId, length / (every ?? 1), given);
    if (every) await indexSparse(database, accountId, 0, length);
    else for (let base = 0; base < length; base += FRESH) await index(accountId, base);
    const said = await entriesOfBlocks(database, accountId);
    const before = await segmentsOf(database, accountId);
    const sealed = [
      await seal(accountId, FRESH),
      await seal(accountId, SEALED),
      await seal(accountId, 0),
    ];
    expect(sealed).toEqual([false, false, true]);
    expect(await seal(accountId, 0)).toBe(false);
    // The fresh ones keep their times.
    expect(await segmentsOf(database, accountId)).toEqual([
      before[0],
      { level: 1, base: 0, earliest: before[0]?.["earliest"], latest: before[15]?.["latest"] },
      ...before.slice(1),
    ]);
    expect(await entriesOfBlocks(database, accountId)).toEqual(said);
    await database.query("DELETE FROM ledger.blocks WHERE account_id = 'copied'");
    await database.query(MADE_FROM_EVENTS, [accountId, 0]);
    const blocks = await blocksOf(database, accountId);
    expect(blocks.filter(({ level }) => level === 1)).toEqual(await blocksOf(database, "copied"));
    // What is sealed is not indexed again.
    expect(await index(accountId, SEALED - FRESH)).toBe(false);
    expect(await index(accountId, 0)).toBe(false);
  },
);

test("what has too many blocks is not sealed", async () => {
  await database.query(
    `INSERT INTO ledger.segments SELECT 'large', 0, base, '', '', '', '' FROM generate_series(0, 65535, 4096) AS base;
     INSERT INTO ledger.blocks
     SELECT 'large', 1 + n % 2, 0, n % 16 * 4096, 'k' || n, ARRAY['k' || n], NULL, '\\x0000'
     FROM generate_series(0, 4096) AS n`,
  );
  expect(await seal("large", 0)).toBe(false);
  await database.query("DELETE FROM ledger.blocks WHERE first = 'k7'");
  expect(await seal("large", 0)).toBe(true);
});

test("what retention has entered is not sealed", async () => {
  await database.query(
    "INSERT INTO ledger.lifecycles (account_id, records_from, deleted_through) VALUES ('sealed_one', 0, 65537)",
  );
  await database.query(
    `INSERT INTO ledger.segments SELECT 'sealed_one', 0, base, '', '', '', ''
     FROM generate_series(65536 + 4096, 131071, 4096) AS base`,
  );
  expect(await seal("sealed_one", SEALED)).toBe(false);
  await database.query("UPDATE ledger.lifecycles SET deleted_through = 65536");
  expect(await seal("sealed_one", SEALED)).toBe(true);
});
