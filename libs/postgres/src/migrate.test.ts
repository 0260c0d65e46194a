// Guarantees: migrations are applied in order, once, all or none, also by several processes at
// once; a file that changed after it was applied is refused; the readiness check reports a
// schema that is behind or changed, and accepts one of a later release; the role has exactly
// the rights of the migrations after each run.

import { randomBytes } from "node:crypto";
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
    up: async () => (await migrate(options)).applied,
    report: () => migrate(options),
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
  const { database, report, check } = await withFolder();
  const none = { access: "its own logins", roles: [], logins: [], waited_ms: expect.any(Number) };
  const applied = ["0001_things.sql"];
  const first = { ...none, before: null, after: "0001_things.sql", applied, rights_set: true };
  expect(await report()).toStrictEqual(first);
  await database.query("INSERT INTO shop.migrations (name, sha256) VALUES ('0009_later.sql', 'x')");
  expect(await check()).toBeUndefined();
  const later = { before: "0009_later.sql", after: "0009_later.sql", applied: [] };
  expect(await report()).toStrictEqual({ ...none, ...later, rights_set: false });
});

/** Of roles that only this test has: roles belong to the whole server. */
function withRights(role: string) {
  return {
    "0001_things.sql": `
DO $$
BEGIN
  CREATE ROLE ${role} NOLOGIN;
EXCEPTION WHEN duplicate_object THEN
  NULL;
END
$$;
GRANT ${role} TO CURRENT_USER;
GRANT USAGE ON SCHEMA shop TO ${role};
CREATE TABLE shop.things (n int, m int);
GRANT SELECT, INSERT, DELETE ON shop.things TO ${role};`,
    "0002_more.sql": `
REVOKE DELETE ON shop.things FROM ${role};
GRANT UPDATE (n) ON shop.things
  TO ${role};
DO $$
BEGIN
  EXECUTE 'GRANT TRIGGER ON shop.things TO ${role}';
END
$$;`,
  };
}

test.for(["lacks", "has wrong rights"])(
  "a role that %s gets exactly those of the migrations",
  async (is) => {
    const role = `annals_test_${randomBytes(6).toString("hex")}`;
    const { database, up } = await withFolder(withRights(role));
    const rights = async () => {
      const tables = await database.query(
        "SELECT privilege_type AS right FROM information_schema.role_table_grants WHERE grantee = $1 ORDER BY 1",
        [role],
      );
      const columns = await database.query(
        `SELECT column_name, privilege_type AS right FROM information_schema.column_privileges
       WHERE grantee = $1 AND privilege_type = 'UPDATE'`,
        [role],
      );
      return { tables: tables.map(({ right }) => right), columns };
    };
    onTestFinished(async () => {
      await database.query(`DROP OWNED BY ${role}`);
      await database.query(`DROP ROLE ${role}`);
    });
    await up();
    const expected = {
      tables: ["INSERT", "SELECT", "TRIGGER"],
      columns: [{ column_name: "n", right: "UPDATE" }],
    };
    expect(await rights()).toStrictEqual(expected);
    if (is === "lacks") {
      await database.query(`DROP OWNED BY ${role}`);
      await database.query(`DROP ROLE ${role}`);
    } else {
      await database.query(`GRANT ALL ON shop.things TO ${role}`);
      await database.query(`GRANT UPDATE (m) ON shop.things TO ${role}`);
      await database.query(`REVOKE SELECT ON shop.things FROM ${role}`);
    }
    expect(await up()).toStrictEqual([]);
    expect(await rights()).toStrictEqual(expected);
    // A later release has given the role more: this one leaves it.
    await database.query(
      "INSERT INTO shop.migrations (name, sha256) VALUES ('0009_later.sql', 'x')",
    );
    await database.query(`GRANT DELETE ON shop.things TO ${role}`);
    await up();
    expect((await rights()).tables).toStrictEqual(["DELETE", "INSERT", "SELECT", "TRIGGER"]);
  },
);

test("a database that goes away in the middle is an error, not a crash", async () => {
  const { database, up } = await withFolder({
    "0001_end.sql": "SELECT pg_terminate_backend(pg_backend_pid())",
  });
  await expect(up()).rejects.toThrow(/terminat/);
  expect(await database.query("SELECT FROM pg_namespace WHERE nspname = 'shop'")).toStrictEqual([]);
});
