// Guarantee: a migrated database is as a fresh copy of the template, whatever a test did to the one that it
// gave back before: without its rows, with the rows of the migrations, and with numbers from 1. One whose
// schema or statistics were changed is gone, and so is one to which a test has left a connection.

import { expect, inject, test } from "vitest";
import { DELETED_BYTES_MAX } from "./emptied-databases.ts";
import { createMigratedDatabase, type TestDatabase } from "./database.ts";
import { ownerOf } from "./owner.ts";

const newDatabase = () => createMigratedDatabase(inject("stack").databaseUrl);

const accountsOf = async (database: TestDatabase) =>
  (await database.query<{ id: string }>("SELECT account_id AS id FROM keys.accounts")).map(
    ({ id }) => id,
  );

/** The server's number of a database, which a new name does not change. */
async function numberOf(database: TestDatabase): Promise<string | undefined> {
  const name = "SELECT oid::text FROM pg_database WHERE datname = current_database()";
  return (await database.query<{ oid: string }>(name))[0]?.oid;
}

async function fill(database: TestDatabase): Promise<void> {
  await database.query(
    "INSERT INTO keys.accounts (account_id, name, created_at) VALUES ('acct_1', 'x', now())",
  );
  await database.query(
    "INSERT INTO ledger.lifecycles (account_id, records_from) VALUES ('acct_1', 0)",
  );
  await database.query("SELECT nextval('ledger.audit_outbox_number_seq')");
}

/** The bytes of a table's file. */
async function bytesOf(database: TestDatabase, table: string): Promise<number> {
  const text = "SELECT pg_relation_size($1::regclass)::integer AS bytes";
  return (await database.query<{ bytes: number }>(text, [table]))[0]?.bytes ?? NaN;
}

test.each([
  ["few rows", 1],
  ["many rows", 5_000],
])("%s of a test are gone, and those of the migrations are there", async (_, count) => {
  const first = await newDatabase();
  const number = await numberOf(first);
  await fill(first);
  const text =
    "INSERT INTO ledger.lifecycles (account_id, records_from) SELECT 'acct_' || n, 0 FROM generate_series(2, $1 + 1) n";
  await first.query(text, [count]);
  expect(await accountsOf(first)).toHaveLength(2);
  await first.drop();
  const second = await newDatabase();
  expect(await numberOf(second)).toBe(number);
  expect(await accountsOf(second)).toEqual(["acct_system"]);
  expect(await second.query("SELECT * FROM ledger.lifecycles")).toEqual([]);
  expect(await bytesOf(second, "ledger.lifecycles")).toBeLessThanOrEqual(DELETED_BYTES_MAX);
  const next = "SELECT nextval('ledger.audit_outbox_number_seq')::integer AS next";
  expect(await second.query(next)).toEqual([{ next: 1 }]);
  await second.drop();
});

test("the session of the owner is as new", async () => {
  const first = await newDatabase();
  await Promise.all(Array.from({ length: 3 }, () => first.query("SELECT pg_sleep(0.01)")));
  await first.query("SET search_path = keys");
  await first.query("CREATE TEMPORARY TABLE of_the_test ()");
  await first.drop();
  const second = await newDatabase();
  expect(await second.query("SELECT account_id FROM keys.accounts")).toHaveLength(1);
  expect(await second.query("SHOW search_path")).toEqual([{ search_path: '"$user", public' }]);
  expect(await second.query("SELECT to_regclass('of_the_test') AS found")).toEqual([
    { found: null },
  ]);
  await second.drop();
});

test.each([
  ["an index", "CREATE INDEX ON keys.accounts (name)"],
  ["a trigger that is disabled", "ALTER TABLE ledger.events DISABLE TRIGGER ALL"],
  ["statistics", "ANALYZE keys.accounts"],
  ["a row of the migrations", "DELETE FROM keys.accounts"],
])("with %s it is not used again", async (_, statement) => {
  const changed = await newDatabase();
  const number = await numberOf(changed);
  await changed.query("SET session_replication_role = replica");
  await changed.query(statement);
  await changed.drop();
  const next = await newDatabase();
  expect(await numberOf(next)).not.toBe(number);
  await next.drop();
});

test("a database to which a test has left a connection is not used again", async () => {
  const database = await newDatabase();
  const left = ownerOf(database.url);
  await left.query("SELECT 1");
  await database.drop();
  await expect(left.query("SELECT 1")).rejects.toThrow(/does not exist|terminat/);
  await left.close();
});
