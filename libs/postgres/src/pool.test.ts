// Guarantees: a transient failure is `unavailable` and the pool recovers without a
// restart; nothing that PostgreSQL does ends the process; numbers and times keep every digit; the
// connections have the rights of the role and no others.

import { AnnalsError } from "@annals/errors";
import { bytesWaiting, eventually } from "@annals/testing";
import { DatabaseError } from "pg";
import { databaseMetrics, Registry } from "@annals/chassis";
import { describe, expect, test } from "vitest";
import { violatedConstraint } from "./failure.ts";
import { statement } from "./statement.ts";
import { newDatabase, openPool, startProxy } from "./testing/test-server.ts";

const LOCAL = { route: "local" } as const;
const one = statement<[], { one: number }>("/* test.one */ SELECT 1 AS one", LOCAL);
const sleep = statement<[seconds: number], object>(
  "/* test.sleep */ SELECT pg_sleep($1::double precision)",
  LOCAL,
);
const backend = statement<[], { pid: number }>("/* test.pid */ SELECT pg_backend_pid() pid", LOCAL);

/** Of PostgreSQL's protocol: ready for a query; an ErrorResponse of a server whose postmaster has died. */
const READY_FOR_QUERY = Buffer.from("Z\0\0\0\x05I");
const FAREWELL = errorResponse({ S: "FATAL", V: "FATAL", C: "57P02", M: "the postmaster is gone" });

const UNAVAILABLE = { name: "AnnalsError", kind: "unavailable", retryAfterS: 1 };

test("a statement that takes too long is cancelled by the server, and its connection serves again", async () => {
  const { url } = await newDatabase();
  const pool = openPool(url, { statementTimeoutMs: 100, maxConnections: 1 });
  const before = await pool.run(backend, []);
  await expect(pool.run(sleep, [30])).rejects.toMatchObject(UNAVAILABLE);
  expect(await pool.run(backend, [])).toStrictEqual(before);
});

test("a server that stops answering times out, and the pool serves again over another connection", async () => {
  const { url } = await newDatabase();
  const proxy = await startProxy(url);
  const pool = openPool(proxy.url, { statementTimeoutMs: 100, maxConnections: 1 });
  await pool.run(one, []);
  proxy.onRequest = () => "hold";
  await expect(pool.run(one, [])).rejects.toMatchObject(UNAVAILABLE);
  proxy.onRequest = () => "pass";
  expect(await pool.run(one, [])).toStrictEqual([{ one: 1 }]);
});

test("once a connection has had no answer, the others that were idle meanwhile are not used", async () => {
  const { url } = await newDatabase();
  const proxy = await startProxy(url);
  const pool = openPool(proxy.url, { statementTimeoutMs: 500, maxConnections: 3 });
  const cutOff = new Set<unknown>();
  proxy.onRequest = (_, client) => (cutOff.add(client), "pass");
  await Promise.all([0.2, 0.2, 0.2].map((seconds) => pool.run(sleep, [seconds])));
  expect(cutOff.size).toBe(3);
  // As with a former primary that cannot be reached: new connections lead elsewhere.
  proxy.onRequest = (_, client) => (cutOff.has(client) ? "hold" : "pass");
  await expect(pool.run(one, [])).rejects.toMatchObject(UNAVAILABLE);
  const answers = await Promise.all([one, one, one].map((each) => pool.run(each, [])));
  expect(answers).toStrictEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]]);
});

describe("a lost connection", () => {
  test("while idle is noticed without harm", async () => {
    const database = await newDatabase();
    const pool = openPool(database.url);
    await pool.run(one, []);
    const killed = await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'annals-pool-test'`,
    );
    expect(killed).toHaveLength(1);
    // The next statement may still meet the dead connection, and says so; the one after may not.
    await pool.run(one, []).catch((error) => expect(error).toMatchObject(UNAVAILABLE));
    expect(await pool.run(one, [])).toStrictEqual([{ one: 1 }]);
  });

  test("in the middle of a statement is unavailable, then all is well again", async () => {
    const { url } = await newDatabase();
    const proxy = await startProxy(url);
    const pool = openPool(proxy.url);
    proxy.onRequest = (chunk) => (chunk.includes("test.one") ? "cut" : "pass");
    await expect(pool.run(one, [])).rejects.toMatchObject(UNAVAILABLE);
    proxy.onRequest = () => "pass";
    expect(await pool.run(one, [])).toStrictEqual([{ one: 1 }]);
  });

  // The pool has taken its listener off the new connection, who waits for it has put none on it yet.
  test("between its opening and its first use is unavailable, then all is well again", async () => {
    const { url } = await newDatabase();
    const proxy = await startProxy(url);
    const pool = openPool(proxy.url);
    proxy.onAnswer = (chunk) =>
      chunk.subarray(-READY_FOR_QUERY.length).equals(READY_FOR_QUERY)
        ? Buffer.concat([chunk, FAREWELL])
        : chunk;
    await expect(pool.run(one, [])).rejects.toMatchObject(UNAVAILABLE);
    proxy.onAnswer = (chunk) => chunk;
    expect(await pool.run(one, [])).toStrictEqual([{ one: 1 }]);
  });

  test("as every connection at once, with work waiting, is unavailable and then well again", async () => {
    const { url } = await newDatabase();
    const proxy = await startProxy(url);
    const pool = openPool(proxy.url);
    const slow = Promise.allSettled([pool.run(sleep, [30]), pool.run(sleep, [30])]);
    const waiting = Promise.allSettled([pool.run(one, []), pool.run(one, [])]);
    await eventually("both under way", async () => {
      const { length } = await openPool(url).run(
        statement<[], object>(
          `/* test.busy */ SELECT 1 FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE '/* test.sleep %' AND state = 'active'`,
          LOCAL,
        ),
        [],
      );
      return length === 2;
    });
    proxy.cutAll();
    for (const outcome of await slow)
      expect(outcome).toMatchObject({ status: "rejected", reason: UNAVAILABLE });
    await waiting;
    expect(await pool.run(one, [])).toStrictEqual([{ one: 1 }]);
  });
});

test("a server that is not there is unavailable, and nothing of its address is shown", async () => {
  const pool = openPool("postgres://u:hunter2@127.0.0.1:1/none");
  const error = await pool.run(one, []).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject(UNAVAILABLE);
  expect((error as AnnalsError).message).not.toMatch(/127|hunter2|none/);
  await expect(pool.transaction(async () => 1)).rejects.toMatchObject(UNAVAILABLE);
});

test("no connection to be had in time is unavailable", async () => {
  const { url } = await newDatabase();
  const pool = openPool(url, { maxConnections: 1 });
  const slow = pool.run(sleep, [4]);
  await expect(pool.run(one, [])).rejects.toMatchObject(UNAVAILABLE);
  await slow;
});

describe("a statement that is refused", () => {
  test("does not cost its connection", async () => {
    const { url } = await newDatabase();
    const pool = openPool(url, { maxConnections: 1 });
    const before = await pool.run(backend, []);
    const wrong = statement<[], object>("/* test.wrong */ SELECT 1 / 0", LOCAL);
    await expect(pool.run(wrong, [])).rejects.toThrow(DatabaseError);
    expect(await pool.run(backend, [])).toStrictEqual(before);
  });

  test("for a constraint keeps pg's error, and tells the constraint's name", async () => {
    const database = await newDatabase();
    await database.query("CREATE TABLE t (n int CONSTRAINT only_once UNIQUE, m int)");
    const pool = openPool(database.url);
    const insert = statement<[n: number], object>(
      "/* test.insert */ INSERT INTO public.t VALUES ($1::int)",
      LOCAL,
    );
    await pool.run(insert, [1]);
    const error = await pool.run(insert, [1]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(violatedConstraint(error)).toBe("only_once");
  });

  test("for anything else has no constraint, and is not unavailable", async () => {
    const { url } = await newDatabase();
    const wrong = statement<[], object>("/* test.wrong */ SELECT 1 / 0", LOCAL);
    const error = await openPool(url)
      .run(wrong, [])
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "22012" });
    expect(violatedConstraint(error)).toBeUndefined();
    expect(violatedConstraint(new Error("x"))).toBeUndefined();
  });
});

test("numbers of 64 bits, decimals and times keep every digit", async () => {
  const { url } = await newDatabase();
  const values = statement<[], object>(
    `/* test.values */ SELECT 9007199254740993::bigint AS big, 1.10::numeric AS exact,
       '2026-01-01 00:00:00.123456+00'::timestamptz AT TIME ZONE 'UTC' AS local,
       '2026-01-01 00:00:00.123456+00'::timestamptz::text AS at, '\\x00ff'::bytea AS bytes`,
    LOCAL,
  );
  const [row] = await openPool(url).run(values, []);
  expect(row).toMatchObject({
    big: "9007199254740993",
    exact: "1.10",
    bytes: Buffer.from([0, 255]),
  });
  expect(row).toMatchObject({ at: expect.stringContaining("00:00.123456") });
});

describe("the role", () => {
  test.each(["", "?options=-c%20lock_timeout%3D7000", "?application_name=other"])(
    "is taken on by every connection, with %j in the address",
    async (query) => {
      const database = await newDatabase();
      await database.query("CREATE TABLE secret AS SELECT 1 AS n");
      const pool = openPool(database.url + query, { role: "pg_monitor" });
      const who = statement<[], { role: string; wait: string }>(
        "/* test.who */ SELECT current_user AS role, current_setting('lock_timeout') AS wait",
        LOCAL,
      );
      const [row] = await pool.run(who, []);
      expect(row).toMatchObject({ role: "pg_monitor", wait: query.includes("lock") ? "7s" : "0" });
      const read = statement<[], object>("/* test.read */ SELECT n FROM public.secret", LOCAL);
      await expect(pool.run(read, [])).rejects.toMatchObject({ code: "42501" });
    },
  );
});

test("each statement is timed under its name, with the SQLSTATE where it failed", async () => {
  const { url } = await newDatabase();
  const metrics = databaseMetrics(new Registry());
  const pool = openPool(url, { metrics });
  await pool.run(one, []);
  const wrong = statement<[], object>("/* test.wrong */ SELECT nonsense", LOCAL);
  await expect(pool.run(wrong, [])).rejects.toMatchObject({ code: "42703" });
  const { values } = await metrics.duration.get();
  const counted = values.filter(({ metricName }) => metricName?.endsWith("_count"));
  expect(counted.map(({ labels }) => Object.values(labels))).toStrictEqual([
    ["test.one", ""],
    ["test.wrong", "42703"],
  ]);
});

test("the metrics say how many connections are in use, who waits for one, and how long", async () => {
  const { url } = await newDatabase();
  const registry = new Registry();
  const pool = openPool(url, { metrics: databaseMetrics(registry), maxConnections: 1 });
  const value = async (name: string, label = ""): Promise<number> => {
    const lines = (await registry.metrics()).split("\n");
    const line = lines.find((each) => each.startsWith(name) && each.includes(label));
    return Number(line?.split(" ").at(-1));
  };
  await pool.run(one, []);
  expect(await value("db_client_connection_max")).toBe(1);
  expect(await value("db_client_connection_count", "idle")).toBe(1);
  const released = Promise.withResolvers<void>();
  const holding = pool.transaction(() => released.promise);
  await eventually(
    "it is in use",
    async () => (await value("db_client_connection_count", "used")) === 1,
  );
  const waiting = pool.run(one, []);
  await eventually(
    "it waits",
    async () => (await value("db_client_connection_pending_requests")) === 1,
  );
  const heldAt = performance.now();
  await eventually("some time is over", () => performance.now() - heldAt > 50);
  released.resolve();
  await Promise.all([holding, waiting]);
  expect(await value("db_client_connection_pending_requests")).toBe(0);
  expect(await value("db_client_connection_wait_time_seconds_count")).toBe(3);
  expect(await value("db_client_connection_wait_time_seconds_sum")).toBeGreaterThan(0.05);
});

test("transactions that wait count with what they hold, and those that do not say it with 16 KiB", async () => {
  const { url } = await newDatabase();
  const pool = openPool(url, { maxConnections: 1 });
  const accountId = "acct_a";
  const account = pool.forAccount(accountId);
  /** The bytes that wait, and which of the transactions are refused. */
  const waiting = async (...bytes: readonly (number | undefined)[]) => {
    const done = async () => {};
    let refused: boolean[] = [];
    const all = await bytesWaiting({ pool, connections: 1, accountId }, async () => {
      const begun = bytes.map((held) => account.transaction(done, held ? () => held : undefined));
      refused = (await Promise.allSettled(begun)).map(({ status }) => status === "rejected");
    });
    return [all, ...refused];
  };
  const [most, small] = [16 * 1024 * 1024, 16 * 1024];
  expect(await waiting(undefined)).toEqual([small, false]);
  expect(await waiting(most - small, undefined, 1)).toEqual([most, false, false, true]);
  expect(await waiting(most - small + 1, undefined)).toEqual([most - small + 1, false, true]);
  // Nothing waits while a connection is free.
  await account.transaction(
    async () => {},
    () => 2 * most,
  );
});

test("a statement must begin with its name", () => {
  expect(one.name).toBe("test.one");
  for (const text of ["SELECT 1", "/* one */ SELECT 1", "SELECT 1 /* test.one */", "/* Test.x */"])
    expect(() => statement(text, LOCAL)).toThrow("begins with /* schema.name */");
});

function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const text = Object.entries(fields).map(([key, value]) => `${key}${value}\0`);
  const body = Buffer.from(`${text.join("")}\0`);
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
