// Guarantee: a migrated database is as a fresh copy of the template, whatever a test did to the one that it
// gave back before: without its rows, with the rows of the migrations, and with numbers from 1. One whose
// schema or statistics were changed is gone. A connection that a test has left does not reach the next test.

import { expect, inject, test } from "vitest";
import { createMigratedDatabase, ownerOf, type TestDatabase } from "./database.ts";

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

test("rows of a test are gone, and those of the migrations are there", async () => {
  const first = await newDatabase();
  const number = await numberOf(first);
  await fill(first);
  expect(await accountsOf(first)).toHaveLength(2);
  await first.drop();
  const second = await newDatabase();
  expect(second.url).not.toBe(first.url);
  expect(await accountsOf(second)).toEqual(["acct_system"]);
  expect(await second.query("SELECT * FROM ledger.lifecycles")).toEqual([]);
  // No row has the number that the sequence gave, so no table that is emptied begins it again.
  expect(await numberOf(second)).not.toBe(number);
  await second.query(
    "INSERT INTO ledger.lifecycles (account_id, records_from) VALUES ('acct_1', 0)",
  );
  const used = await numberOf(second);
  await second.drop();
  const third = await newDatabase();
  expect(await numberOf(third)).toBe(used);
  expect(await third.query("SELECT * FROM ledger.lifecycles")).toEqual([]);
  await third.drop();
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

test("a connection that a test has left is ended", async () => {
  const database = await newDatabase();
  const left = ownerOf(database.url);
  await left.query("SELECT 1");
  await database.drop();
  await expect(left.query("SELECT 1")).rejects.toThrow(/does not exist|terminat/);
  await left.close();
});
