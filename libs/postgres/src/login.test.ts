// Guarantees: with the URL of `serve`, migrate makes its login with the role and nothing more, sets its
// password anew where the login of `migrate` made it, leaves a login that someone else made its password, and
// sends no password to the server. With a wait, migrate outlasts a server that does not answer yet.

import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "./migrate.ts";
import { newDatabase, startProxy } from "./testing/test-server.ts";

async function emptyFolder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "annals-login-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

/** A service with a role of this test's own, an owner who may create roles, and the names of both. */
async function withOwner() {
  const database = await newDatabase();
  const [role, owner, login] = ["role", "owner", "login"].map(
    (what) => `annals_test_${what}_${randomBytes(6).toString("hex")}`,
  ) as [string, string, string];
  const directory = await emptyFolder();
  await writeFile(
    join(directory, "0001_things.sql"),
    `DO $$
BEGIN
  CREATE ROLE ${role} NOLOGIN;
END
$$;
GRANT ${role} TO CURRENT_USER;
GRANT USAGE ON SCHEMA shop TO ${role};
CREATE TABLE shop.things (n int);
GRANT SELECT ON shop.things TO ${role};`,
  );
  const name = new URL(database.url).pathname.slice(1);
  await database.query(`CREATE ROLE ${owner} LOGIN CREATEROLE PASSWORD 'owner'`);
  await database.query(`GRANT CREATE ON DATABASE ${name} TO ${owner}`);
  onTestFinished(async () => {
    for (const each of [login, role, owner]) {
      const found = await database.query("SELECT FROM pg_roles WHERE rolname = $1", [each]);
      if (found.length === 0) continue;
      await database.query(`DROP OWNED BY ${each} CASCADE`);
      await database.query(`DROP ROLE ${each}`);
    }
  });
  const urlOf = (user: string, password: string) => {
    const url = new URL(database.url);
    return Object.assign(url, { username: user, password }).href;
  };
  const up = (serveUrl?: string) =>
    migrate({
      connectionString: urlOf(owner, "owner"),
      schema: "shop",
      directory,
      serveConnectionString: serveUrl,
    });
  return { database, role, login, urlOf, up };
}

/** What a login may do as it is, and with the role. */
async function rightsOf(url: string, role: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const reads = () =>
      client.query("SELECT n FROM shop.things").then(
        () => true,
        () => false,
      );
    const asItself = await reads();
    await client.query(`SET ROLE ${role}`);
    return { asItself, withRole: await reads() };
  } finally {
    await client.end();
  }
}

test("the login is made, has the role alone, and follows the password of the URL", async () => {
  const { database, role, login, urlOf, up } = await withOwner();
  const first = urlOf(login, "first");
  await up(first);
  expect(await rightsOf(first, role)).toStrictEqual({ asItself: false, withRole: true });
  const attributes = "rolsuper, rolcreaterole, rolcreatedb, rolinherit, rolbypassrls";
  expect(
    await database.query(`SELECT ${attributes} FROM pg_roles WHERE rolname = $1`, [login]),
  ).toStrictEqual([
    {
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolinherit: false,
      rolbypassrls: false,
    },
  ]);
  await up(urlOf(login, "second"));
  await expect(rightsOf(first, role)).rejects.toMatchObject({ code: "28P01" });
  expect(await rightsOf(urlOf(login, "second"), role)).toMatchObject({ withRole: true });
});

test("a login that someone else made gets the role and keeps its password", async () => {
  const { database, role, login, urlOf, up } = await withOwner();
  await database.query(`CREATE ROLE ${login} LOGIN NOINHERIT PASSWORD 'theirs'`);
  await up(urlOf(login, "ours"));
  expect(await rightsOf(urlOf(login, "theirs"), role)).toMatchObject({ withRole: true });
});

test("the owner's own login is left as it is, and a URL without one is refused", async () => {
  const { urlOf, up } = await withOwner();
  await expect(up(urlOf("", ""))).rejects.toThrow(
    "ANNALS_SERVE_DATABASE_URL: does not name a login",
  );
  expect((await up()).applied).toHaveLength(1);
});

test("a server that does not answer yet is waited for where a wait is given", async () => {
  const { database } = await withOwner();
  const directory = await emptyFolder();
  const proxy = await startProxy(database.url);
  const options = { connectionString: proxy.url, schema: "later", directory };
  let refused = 0;
  proxy.onRequest = () => (refused++ < 2 ? "close" : "pass");
  await expect(migrate(options)).rejects.toThrow("Connection terminated");
  expect(refused).toBe(1);
  expect(await migrate({ ...options, waitMs: 30_000 })).toMatchObject({ applied: [] });
  expect(refused).toBeGreaterThan(2);
});

test("a wrong password is not waited for", async () => {
  const { database, login, urlOf } = await withOwner();
  await database.query(`CREATE ROLE ${login} LOGIN PASSWORD 'right'`);
  const options = { connectionString: urlOf(login, "wrong"), schema: "later" };
  await expect(
    migrate({ ...options, directory: await emptyFolder(), waitMs: 600_000 }),
  ).rejects.toMatchObject({ code: "28P01" });
});
