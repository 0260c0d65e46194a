// Guarantee: of 600 erased values of a declared field, in a sealed and in a fresh segment of the index, no
// row has one once the index has forgotten them, and no file after VACUUM FULL, which overwrites what VACUUM
// frees. While the index still has them, VACUUM FULL leaves each.

import { beforeAll, expect, test } from "vitest";
import { newAccountId } from "../../testing/append-fixtures.ts";
import { type LifecycleFixtures, openLifecycleFixtures } from "../../testing/lifecycle-fixtures.ts";
import {
  FRESH,
  indexSparse,
  insertEvents,
  SEALED,
  SPARSE,
  sparse,
} from "../../testing/segment-fixtures.ts";

const LENGTH = SEALED + FRESH;
const VALUES = 600;
const A_RECORD = 200;
const TABLES = ["events", "blocks", "unindexed", "searches"];
/** The part and the value of event n, as PostgreSQL and as this test make them. */
const CONTEXT = `'{"email":"value-' || lpad((n * 7919 % 100000)::text, 5, '0') || '@example.com"}'`;
const valueOf = (n: number) => `value-${String((n * 7_919) % 100_000).padStart(5, "0")}@`;
/** The last ones are in the fresh segment. */
const ERASED = Array.from({ length: VALUES }, (_, at) => LENGTH / SPARSE - 4 * at);

let world: LifecycleFixtures;
let accountId: string;
beforeAll(async () => {
  world = await openLifecycleFixtures();
  // What is compressed cannot be looked for.
  await world.owner.query(
    "ALTER TABLE ledger.blocks ALTER keys SET STORAGE EXTERNAL, ALTER places SET STORAGE EXTERNAL",
  );
  accountId = newAccountId();
  await insertEvents(world.owner, accountId, LENGTH / SPARSE, { context: CONTEXT, every: SPARSE });
  await world.run('SELECT ledger.begin_lifecycle($1::text COLLATE "C")', [accountId]);
  await world.owner.query(
    "INSERT INTO ledger.fields VALUES ($1, 16, 'email', '{context,email}', 'string', false, 0, 0, '', NULL)",
    [accountId],
  );
  await indexSparse(world.owner, accountId, 0, LENGTH);
  await world.run("SELECT ledger.seal_segment($1, 0)", [accountId]);
});

function found(bytes: Buffer | string): number {
  const text = typeof bytes === "string" ? bytes : bytes.toString("latin1");
  const there = new Set(text.match(/value-\d{5}@/g));
  return ERASED.filter((n) => there.has(valueOf(n))).length;
}

/** How many of the values rows have. */
async function inRows(): Promise<number> {
  const rows = await Promise.all(
    TABLES.map((table) =>
      world.owner.query<{ text: string }>(
        `SELECT row_to_json(one)::text AS text FROM ledger.${table} AS one`,
      ),
    ),
  );
  return found(
    rows
      .flat()
      .map(({ text }) => text)
      .join("\n"),
  );
}

/** How many the files of the tables, of their large values and of their indexes have. */
async function inFiles(): Promise<number> {
  await world.owner.query("CHECKPOINT");
  const files = await world.owner.query<{ bytes: Buffer }>(
    `SELECT pg_read_binary_file(pg_relation_filepath(part.oid)) AS bytes
     FROM pg_class AS main
     JOIN pg_class AS part ON part.oid = main.oid OR part.oid = main.reltoastrelid
       OR part.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid IN (main.oid, main.reltoastrelid))
     WHERE main.oid = ANY ($1::regclass[])`,
    [TABLES.map((table) => `ledger.${table}`)],
  );
  return found(Buffer.concat(files.map(({ bytes }) => bytes)));
}

const vacuumFull = async () => {
  for (const table of TABLES)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await world.owner.query(`VACUUM FULL ledger.${table}`);
};

test("erased values of a declared field are in no row, and after VACUUM FULL in no file", async () => {
  for (let at = 0; at < VALUES; at += A_RECORD) {
    const numbers = ERASED.slice(at, at + A_RECORD).map(sparse);
    const named = { parts: ["context"], sequence_numbers: numbers.join(",") };
    // oxlint-disable-next-line no-await-in-loop -- in order
    await world.erase(accountId, await world.record(accountId, "annals.erasure", named));
  }
  await vacuumFull();
  expect([await inRows(), await inFiles()]).toEqual([VALUES, VALUES]);
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- until nothing is left
    const [row] = await world.run("SELECT ledger.unindex($1)::int AS taken", [accountId]);
    if (row?.["taken"] === 0) break;
  }
  expect(await inRows()).toBe(0);
  await vacuumFull();
  expect(await inFiles()).toBe(0);
});
