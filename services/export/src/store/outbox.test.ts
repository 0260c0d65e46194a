// Guarantees of the migration to one outbox: entries of the release before are counted on; replicas of both
// releases that add at the same time give no position twice and leave no gap; an export that loses such a
// race is completed by its next attempt. And what the service may do with its outbox, PostgreSQL enforces.

import { createLog } from "@annals/chassis";
import {
  createPool,
  type Database,
  migrate,
  type Pool,
  violatedConstraint,
} from "@annals/postgres";
import { createDatabase, createMigratedDatabase, type TestDatabase } from "@annals/testing";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { SCHEMA } from "../commands/migrate.ts";
import { OUTBOX } from "./outbox.ts";

const ACCOUNT = "acct_1";
const TIME = "2026-05-10T12:00:00.000000Z";
const ENTRY = { accountId: ACCOUNT, eventName: "export.completed", data: "{}", createdAt: TIME };

async function newDatabase(make = createMigratedDatabase): Promise<TestDatabase> {
  const database = await make(inject("stack").databaseUrl);
  onTestFinished(() => database.drop());
  return database;
}

/** With the service's rights. */
function openPool({ url }: TestDatabase): Pool {
  const pool = createPool({
    connectionString: url,
    role: "annals_exports",
    applicationName: "annals-export-test",
    maxConnections: 3,
    statementTimeoutMs: 5_000,
    log: createLog({ service: "test", level: "error" }),
  });
  onTestFinished(() => pool.close());
  return pool;
}

const unprepared = (text: string) => ({ name: "test.outbox", text, customPlan: true });

/** As the release before adds an entry. */
async function addAsBefore(database: Database): Promise<bigint> {
  const lock = unprepared("SELECT pg_advisory_xact_lock(720311408, hashtext($1::text))");
  await database.run(lock, [ACCOUNT]);
  const text = `INSERT INTO exports.outbox (account_id, position, event_name, data, created_at)
    SELECT $1::text, coalesce(max(position), 0) + 1, 'export.completed', '{}', '${TIME}'
    FROM exports.outbox WHERE account_id = $1::text RETURNING position`;
  const [row] = await database.run<[string], { position: string }>(unprepared(text), [ACCOUNT]);
  return BigInt(row?.position ?? 0);
}

const positionsOf = async (database: TestDatabase) => {
  const rows = await database.query("SELECT position FROM exports.outbox ORDER BY position");
  return rows.map(({ position }) => Number(position));
};

test("entries from before the migration are counted on", async () => {
  const database = await newDatabase(createDatabase);
  const before = await mkdtemp(join(tmpdir(), "annals-migrations-"));
  onTestFinished(() => rm(before, { recursive: true }));
  const first = "0001_exports.sql";
  await copyFile(join(SCHEMA.directory, first), join(before, first));
  await migrate({ ...SCHEMA, connectionString: database.url, directory: before });
  const pool = openPool(database);
  for (let n = 0; n < 3; n++) await pool.transaction(addAsBefore);
  await migrate({ ...SCHEMA, connectionString: database.url });
  const heads = await database.query("SELECT account_id, position FROM exports.outbox_heads");
  expect(heads).toEqual([{ account_id: ACCOUNT, position: "3" }]);
  expect(await OUTBOX.add(pool, ENTRY)).toBe(4n);
  expect(await pool.transaction(addAsBefore)).toBe(5n);
  expect(await OUTBOX.positions(pool, [ACCOUNT])).toEqual([5n]);
  expect(await OUTBOX.add(pool, ENTRY)).toBe(6n);
});

test("replicas of both releases at the same time give no position twice and leave no gap", async () => {
  const database = await newDatabase();
  const [older, newer] = [openPool(database), openPool(database)];
  let refused = 0;
  /** As a job is attempted again. */
  const retried = async (add: () => Promise<bigint>): Promise<bigint> => {
    for (;;) {
      try {
        return await add();
      } catch (error) {
        expect(violatedConstraint(error)).toBe("outbox_pkey");
        refused += 1;
      }
    }
  };
  const given = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      index % 2
        ? retried(() => older.transaction(addAsBefore))
        : retried(() => newer.transaction((transaction) => OUTBOX.add(transaction, ENTRY))),
    ),
  );
  const expected = Array.from({ length: 200 }, (_, index) => index + 1);
  expect(given.map(Number).toSorted((a, b) => a - b)).toEqual(expected);
  expect(await positionsOf(database)).toEqual(expected);
  // Else they never met, and this test has shown nothing.
  expect(refused).toBeGreaterThan(0);
});

test("the release before counts on from the last entry after all that may be was pruned", async () => {
  const database = await newDatabase();
  const pool = openPool(database);
  for (let n = 0; n < 3; n++)
    await OUTBOX.add(pool, { ...ENTRY, createdAt: "2020-01-01T00:00:00Z" });
  await OUTBOX.list(pool, { accountId: ACCOUNT, afterPosition: 3n, limit: 1 });
  expect(await positionsOf(database)).toEqual([3]);
  expect(await pool.transaction(addAsBefore)).toBe(4n);
});

test.for([
  "UPDATE exports.outbox SET data = ''",
  "TRUNCATE exports.outbox",
  "DELETE FROM exports.outbox_heads",
])("the service may not %s", async (sql) => {
  await expect(openPool(await newDatabase()).run(unprepared(sql), [])).rejects.toMatchObject({
    code: "42501",
  });
});
