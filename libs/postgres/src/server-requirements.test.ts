// Guarantee: migrate and every connection of a service refuse a server that is older than PostgreSQL 15, and
// a database that is not in UTF8, with one line, and nothing is made. test/faults/postgresql-versions.test.ts
// runs it on a PostgreSQL 14.

import { ownerOf } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { migrate } from "./migrate.ts";
import { OLDEST_VERSION, refuseUnsupported } from "./server-requirements.ts";
import { statement } from "./statement.ts";
import { openPool } from "./testing/test-server.ts";

const SERVER = { version: "15.0", version_number: 150_000, encoding: "UTF8", is_standby: false };
const one = statement<[], { one: number }>("/* test.one */ SELECT 1 AS one", { route: "local" });

test("the oldest version is the first of PostgreSQL 15", () => {
  expect(OLDEST_VERSION).toBe(150_000);
  expect(() => refuseUnsupported(SERVER)).not.toThrow();
  expect(() => refuseUnsupported({ ...SERVER, version: "14.23", version_number: 149_999 })).toThrow(
    "PostgreSQL 14.23 is too old: Annals needs PostgreSQL 15 or newer",
  );
});

test("a version newer than all tested ones is accepted", () => {
  const server = { ...SERVER, version: "99.1", version_number: 990_001 };
  expect(() => refuseUnsupported(server)).not.toThrow();
});

test("a database in another encoding is refused by migrate and by the pool", async () => {
  const owner = ownerOf(inject("stack").databaseUrl);
  const name = `test_${randomBytes(8).toString("hex")}`;
  await owner.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'`);
  onTestFinished(async () => {
    await owner.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await owner.close();
  });
  const url = Object.assign(new URL(inject("stack").databaseUrl), { pathname: `/${name}` }).href;
  const directory = await mkdtemp(join(tmpdir(), "annals-encoding-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, "0001_things.sql"), "CREATE TABLE shop.things (n int)");

  const reason = "the database has the encoding SQL_ASCII: Annals needs UTF8";
  await expect(migrate({ connectionString: url, schema: "shop", directory })).rejects.toThrow(
    reason,
  );
  await expect(openPool(url).run(one, [])).rejects.toMatchObject({
    kind: "unavailable",
    cause: { message: reason },
  });
  const database = ownerOf(url);
  expect(await database.query("SELECT FROM pg_namespace WHERE nspname = 'shop'")).toStrictEqual([]);
  await database.close();
});
