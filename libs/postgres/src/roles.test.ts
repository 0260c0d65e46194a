// Guarantees: two installations in one server have roles of their own by their prefixes, and no login of one
// connects to the database of the other. A role that another installation has is refused, to a superuser too,
// and so is a database that was migrated with another prefix: nothing is changed, and the message names the
// setting. A login with rights in a database still connects.

import { hash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "./migrate.ts";
import { newDatabase } from "./testing/test-server.ts";

const SQL = `DO $$
BEGIN
  CREATE ROLE annals_shop NOLOGIN;
EXCEPTION WHEN duplicate_object THEN
  NULL;
END
$$;
GRANT annals_shop TO CURRENT_USER;
GRANT USAGE ON SCHEMA shop TO annals_shop;
CREATE TABLE shop.things (n int);
GRANT SELECT ON shop.things TO annals_shop;
DO $$
BEGIN
  EXECUTE 'GRANT INSERT ON shop.things TO annals_shop';
END
$$;`;

const unique = (what: string) => `test_${what}_${randomBytes(6).toString("hex")}`;

/** A database that a login without superuser's rights owns, and the URLs of its logins. */
async function newInstallation() {
  const database = await newDatabase();
  const [prefix, owner, login] = [unique("prefix"), unique("owner"), unique("login")];
  const name = new URL(database.url).pathname.slice(1);
  await database.query(`CREATE ROLE ${owner} LOGIN CREATEROLE PASSWORD 'p'`);
  await database.query(`ALTER DATABASE ${name} OWNER TO ${owner}`);
  const made = [login, `${prefix}_shop`, owner];
  onTestFinished(async () => {
    await database.query(`ALTER DATABASE ${name} OWNER TO CURRENT_USER`);
    for (const role of made) {
      const found = await database.query("SELECT FROM pg_roles WHERE rolname = $1", [role]);
      if (found.length === 0) continue;
      await database.query(`DROP OWNED BY ${role} CASCADE`);
      await database.query(`DROP ROLE ${role}`);
    }
  });
  const directory = await mkdtemp(join(tmpdir(), "annals-roles-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, "0001_things.sql"), SQL);
  const urlOf = (username: string) =>
    Object.assign(new URL(database.url), { username, password: "p" }).href;
  const up = (rolePrefix: string, connectionString = urlOf(owner)) =>
    migrate({
      connectionString,
      schema: "shop",
      directory,
      rolePrefix,
      serveConnectionString: urlOf(login),
    });
  const hasSchema = async () =>
    (await database.query("SELECT FROM pg_namespace WHERE nspname = 'shop'")).length > 0;
  return { database, hasSchema, login, made, name, owner, prefix, up, urlOf };
}

/** Runs one statement, as the role if one is given. */
async function queryAs(url: string, text: string, role?: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    if (role !== undefined) await client.query(`SET ROLE ${role}`);
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test("two installations work, and no login of one connects to the database of the other", async () => {
  const [one, two] = [await newInstallation(), await newInstallation()];
  for (const each of [one, two]) {
    const { access, roles } = await each.up(each.prefix);
    expect({ access, roles }).toStrictEqual({
      access: "its own logins",
      roles: [`${each.prefix}_shop`],
    });
    const url = each.urlOf(each.login);
    await queryAs(url, "INSERT INTO shop.things VALUES (1)", `${each.prefix}_shop`);
    const rows = await queryAs(url, "SELECT n FROM shop.things", `${each.prefix}_shop`);
    expect(rows).toStrictEqual([{ n: 1 }]);
    expect((await each.up(each.prefix)).applied).toStrictEqual([]);
    const applied = await each.database.query("SELECT sha256 FROM shop.migrations");
    expect(applied).toStrictEqual([{ sha256: hash("sha256", SQL) }]);
  }
  for (const [own, other] of [[one, two] as const, [two, one] as const]) {
    for (const login of [own.login, own.owner])
      await expect(queryAs(other.urlOf(login), "SELECT 1")).rejects.toMatchObject({
        code: "42501",
        message: expect.stringContaining("permission denied for database"),
      });
  }
});

test("the roles of another installation are refused, to a superuser as well, and nothing is made", async () => {
  const [one, two] = [await newInstallation(), await newInstallation()];
  await one.up(one.prefix);
  for (const url of [two.urlOf(two.owner), two.database.url]) {
    const error = await two.up(one.prefix, url).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(
      new RegExp(
        `the role ${one.prefix}_shop exists, and \\w+ has not created it: .+ ANNALS_DATABASE_ROLE_PREFIX`,
      ),
    );
  }
  expect(await two.hasSchema()).toBe(false);
  expect((await two.up(two.prefix)).applied).toHaveLength(1);
});

test("a role that was created before, and granted to the login, is taken", async () => {
  const { database, owner, prefix, up } = await newInstallation();
  await database.query(`CREATE ROLE ${prefix}_shop NOLOGIN`);
  await expect(up(prefix)).rejects.toThrow("GRANT");
  await database.query(`GRANT ${prefix}_shop TO ${owner} WITH ADMIN OPTION`);
  expect((await up(prefix)).applied).toHaveLength(1);
});

test("a database that was migrated with another prefix is refused", async () => {
  const { database, made, prefix, up } = await newInstallation();
  await up(prefix);
  const other = unique("other");
  made.unshift(`${other}_shop`);
  await expect(up(other)).rejects.toThrow(
    `the schema shop was migrated with the role ${prefix}_shop: set ANNALS_DATABASE_ROLE_PREFIX to ${prefix}`,
  );
  expect(
    await database.query("SELECT FROM pg_roles WHERE rolname = $1", [`${other}_shop`]),
  ).toStrictEqual([]);
});

test("a login with a right in the database connects, and a stranger does not", async () => {
  const { database, made, name, prefix, up, urlOf } = await newInstallation();
  const [member, reader, migrator, stranger] = ["member", "reader", "migrator", "stranger"].map(
    unique,
  ) as [string, string, string, string];
  made.unshift(member, reader, migrator, stranger);
  for (const login of [member, reader, migrator, stranger])
    await database.query(`CREATE ROLE ${login} LOGIN NOINHERIT PASSWORD 'p'`);
  await up(prefix);
  // Logins that an operator makes: for a service, for a report, for the schema of another service.
  await database.query(`GRANT ${prefix}_shop TO ${member}`);
  await database.query(`GRANT USAGE ON SCHEMA shop TO ${reader}`);
  await database.query(`GRANT CREATE ON DATABASE ${name} TO ${migrator}`);
  await database.query(`GRANT CONNECT ON DATABASE ${name} TO PUBLIC`);
  await up(prefix);
  for (const login of [member, reader, migrator])
    expect(await queryAs(urlOf(login), "SELECT 1 AS one")).toStrictEqual([{ one: 1 }]);
  await expect(queryAs(urlOf(stranger), "SELECT 1")).rejects.toMatchObject({ code: "42501" });
});

test("a login that does not own the database leaves it open, and says so", async () => {
  const { database, name, owner, prefix, up } = await newInstallation();
  await database.query(`ALTER DATABASE ${name} OWNER TO CURRENT_USER`);
  await database.query(`GRANT CREATE ON DATABASE ${name} TO ${owner}`);
  expect(await up(prefix)).toMatchObject({ access: "any login" });
});
