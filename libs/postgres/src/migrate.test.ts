// Guarantees: migrations are applied in order, once, all or none, also by several processes at
// once; a file that changed after it was applied is refused; the readiness check reports a
// schema that is behind or changed, and accepts one of a later release.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { migrate, schemaCheck } from "./migrate.ts";
import { newDatabase, openPool } from "./testing/test-server.ts";

const FIRST = { "0001_things.sql": "CREATE TABLE shop.things (n int)" };
const SECOND = { ...FIRST, "0002_more.sql": "ALTER TABLE shop.things ADD COLUMN m int; SELECT 1" };

/** A database, and the folder of migrations of a service that a test fills. */
async function withFolder(files: Record<string, string> = FIRST) {
  const database = await newDatabase();
  const directory = await mkdtemp(join(tmpdir(), "annals-migrations-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const write = (more: Record<string, string>): Promise<unknown> =>
    Promise.all(Object.entries(more).map(([name, sql]) => writeFile(join(directory, name), sql)));
  await write(files);
  const options = { connectionString: database.url, schema: "shop", directory };
  return {
    database,
    write,
    up: () => migrate(options),
    check: schemaCheck(openPool(database.url), options),
  };
}

test("what is missing is applied in order, and once", async () => {
  const { database, write, up } = await withFolder();
  expect(await up()).toStrictEqual(["0001_things.sql"]);
  expect(await up()).toStrictEqual([]);
  await write(SECOND);
  expect(await up()).toStrictEqual(["0002_more.sql"]);
  await database.query("INSERT INTO shop.things (n, m) VALUES (1, 2)");
  expect(await up()).toStrictEqual([]);
});

test("several processes at once apply each file once", async () => {
  const { up } = await withFolder(SECOND);
  const applied = await Promise.all(Array.from({ length: 6 }, up));
  expect(applied.flat()).toStrictEqual(Object.keys(SECOND));
});

test("all of it is applied or nothing", async () => {
  const { database, write, up } = await withFolder({ ...SECOND, "0003_bad.sql": "SELEKT 1" });
  await expect(up()).rejects.toMatchObject({ code: "42601" });
  expect(await database.query("SELECT FROM pg_namespace WHERE nspname = 'shop'")).toStrictEqual([]);
  await write({ "0003_bad.sql": "SELECT 1" });
  expect(await up()).toHaveLength(3);
});

test("a file that changed after it was applied is refused, and nothing else is applied", async () => {
  const { database, write, up, check } = await withFolder();
  await up();
  await write({ ...SECOND, "0001_things.sql": `${FIRST["0001_things.sql"]} -- or so` });
  await expect(up()).rejects.toThrow("0001_things.sql is not the file that was applied");
  expect(await database.query("SELECT name FROM shop.migrations")).toHaveLength(1);
  await write({ "0002_more.sql": "" });
  expect(await check()).toMatch(/0001_things\.sql is not the file|lacks 0002_more\.sql/);
});

test("a name that is no migration's is refused before anything is done", async () => {
  const { up } = await withFolder({ ...FIRST, "2_more.sql": "SELECT 1" });
  await expect(up()).rejects.toThrow("a migration is named NNNN_name.sql, not 2_more.sql");
});

test("the check tells a schema that is behind, and which command fixes it", async () => {
  const { write, up, check } = await withFolder();
  await expect(check()).rejects.toMatchObject({ code: "42P01" });
  await up();
  expect(await check()).toBeUndefined();
  await write(SECOND);
  expect(await check()).toBe(
    "the schema shop lacks 0002_more.sql: run the migrate command of this release",
  );
});

test("the check and migrate accept a migration of a later release", async () => {
  const { database, up, check } = await withFolder();
  await up();
  await database.query("INSERT INTO shop.migrations (name, sha256) VALUES ('0009_later.sql', 'x')");
  expect(await check()).toBeUndefined();
  expect(await up()).toStrictEqual([]);
});

test("a database that goes away in the middle is an error, not a crash", async () => {
  const { database, up } = await withFolder({
    "0001_end.sql": "SELECT pg_terminate_backend(pg_backend_pid())",
  });
  await expect(up()).rejects.toThrow(/terminat/);
  expect(await database.query("SELECT FROM pg_namespace WHERE nspname = 'shop'")).toStrictEqual([]);
});
