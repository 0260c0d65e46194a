// Guarantees: whatever a database or a login has as its defaults, each connection has the settings that the
// code relies on, and a transaction is READ COMMITTED and writes. An event is on the disk before its 201,
// also if such a default turns synchronous_commit off. What the address of the database gives is kept.

import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { SETTING_NAMES } from "./session-settings.ts";
import { statement } from "./statement.ts";
import { newDatabase, openPool } from "./testing/test-server.ts";

/**
 * The settings, each with a default that would change what statements do, and what a connection has all the
 * same.
 */
const HOSTILE: Readonly<Record<string, readonly [hostile: string, has: string]>> = {
  default_transaction_isolation: ["serializable", "read committed"],
  default_transaction_read_only: ["on", "off"],
  default_transaction_deferrable: ["on", "off"],
  statement_timeout: ["1ms", "5s"],
  lock_timeout: ["1ms", "0"],
  idle_in_transaction_session_timeout: ["1ms", "3s"],
  idle_session_timeout: ["1ms", "0"],
  search_path: ["hostile, pg_catalog", "pg_catalog"],
  TimeZone: ["Asia/Kathmandu", "UTC"],
  DateStyle: ["German, DMY", "ISO, MDY"],
  IntervalStyle: ["sql_standard", "postgres"],
  bytea_output: ["escape", "hex"],
  extra_float_digits: ["-15", "1"],
  standard_conforming_strings: ["off", "on"],
  array_nulls: ["off", "on"],
  quote_all_identifiers: ["on", "off"],
  gin_fuzzy_search_limit: ["1", "0"],
  jit: ["on", "off"],
};

/** Known to PostgreSQL 17 and later, or set only if it is off. */
const LATE: typeof HOSTILE = {
  transaction_timeout: ["1h", "0"],
  synchronous_commit: ["off", "on"],
};

const LOCAL = { route: "local" } as const;
const show = statement<[name: string], { has: string | null }>(
  "/* test.show */ SELECT current_setting($1::text, true) AS has",
  LOCAL,
);

test("each setting has a hostile default here", () => {
  expect(Object.keys(HOSTILE)).toStrictEqual(SETTING_NAMES);
});

const OF = ["database", "login", "login in the database"] as const;

test.each(OF)("no default of the %s changes a connection", async (of) => {
  const database = await newDatabase();
  const { url } = database;
  const [login, name] = [
    `annals_test_${randomBytes(6).toString("hex")}`,
    new URL(url).pathname.slice(1),
  ];
  await database.query(`CREATE ROLE ${login} LOGIN PASSWORD 'p'`);
  onTestFinished(async () => void (await database.query(`DROP ROLE ${login}`)));
  const targets = {
    database: `DATABASE ${name}`,
    login: `ROLE ${login}`,
    "login in the database": `ROLE ${login} IN DATABASE ${name}`,
  };
  const all = { ...HOSTILE, ...LATE };
  const [version] = await database.query<{ number: number }>(
    "SELECT current_setting('server_version_num')::int AS number",
  );
  const hostile = Object.entries(all).filter(
    ([setting]) => setting !== "transaction_timeout" || (version?.number ?? 0) >= 170_000,
  );
  for (const [setting, [value]] of hostile) {
    const list = setting === "search_path" ? value : `'${value}'`;
    await database.query(`ALTER ${targets[of]} SET ${setting} = ${list}`);
  }
  const pool = openPool(Object.assign(new URL(url), { username: login, password: "p" }).href);
  for (const [setting, [, has]] of hostile)
    expect([setting, await pool.run(show, [setting])]).toStrictEqual([setting, [{ has }]]);
});

test("a synchronous_commit that is off for all logins of the server is on", async () => {
  const { query, url } = await newDatabase();
  // Nothing else of the server relies on it: its files go with the run.
  await query("ALTER ROLE ALL SET synchronous_commit = off");
  onTestFinished(async () => void (await query("ALTER ROLE ALL RESET synchronous_commit")));
  const pool = openPool(url);
  expect(await pool.run(show, ["synchronous_commit"])).toStrictEqual([{ has: "on" }]);
});

test("what the address gives is kept, and a transaction is READ COMMITTED and writes all the same", async () => {
  const database = await newDatabase();
  const { url } = database;
  await database.query("CREATE TABLE public.things (n int)");
  const options =
    "-c default_transaction_isolation=serializable -c default_transaction_read_only=on -c synchronous_commit=off";
  const pool = openPool(`${url}?options=${encodeURIComponent(options)}`);
  expect(await pool.run(show, ["synchronous_commit"])).toStrictEqual([{ has: "off" }]);
  expect(await pool.run(show, ["default_transaction_isolation"])).toStrictEqual([
    { has: "serializable" },
  ]);
  const insert = statement<[], object>(
    "/* test.insert */ INSERT INTO public.things VALUES (1)",
    LOCAL,
  );
  const isolation = await pool.transaction(async (transaction) => {
    await transaction.run(insert, []);
    return transaction.run(show, ["transaction_isolation"]);
  });
  expect(isolation).toStrictEqual([{ has: "read committed" }]);
});
