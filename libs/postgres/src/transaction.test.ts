// Guarantees: what a transaction did is there when it resolves, and is not when it rejects, with
// one exception that is reported as `unavailable`: a lost commit acknowledgement. A transaction never
// leaves a connection in a state that the next user of it could notice.

import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { statement } from "./statement.ts";
import { newDatabase, openPool, startProxy } from "./testing/test-server.ts";

const insert = statement<[n: number], object>(
  "/* test.insert */ INSERT INTO public.t VALUES ($1::int)",
  {
    route: "local",
  },
);
const all = statement<[], { n: number }>("/* test.all */ SELECT n FROM public.t ORDER BY n", {
  route: "local",
});
const UNAVAILABLE = { name: "AnnalsError", kind: "unavailable" };

async function withTable(options: { readonly constraint?: string } = {}) {
  const database = await newDatabase();
  await database.query(`CREATE TABLE t (n int ${options.constraint ?? ""})`);
  const proxy = await startProxy(database.url);
  const pool = openPool(proxy.url, { maxConnections: 1, statementTimeoutMs: 500 });
  const rows = async (): Promise<number[]> =>
    (await database.query<{ n: number }>("SELECT n FROM public.t ORDER BY n")).map(({ n }) => n);
  return { database, pool, proxy, rows };
}

test("commits when the work resolves, and no part of it is visible before", async () => {
  const { pool, rows } = await withTable();
  const result = await pool.transaction(async (transaction) => {
    await transaction.run(insert, [1]);
    await transaction.run(insert, [2]);
    expect(await transaction.run(all, [])).toHaveLength(2);
    expect(await rows()).toStrictEqual([]);
    return "done";
  });
  expect(result).toBe("done");
  expect(await rows()).toStrictEqual([1, 2]);
});

test("rolls back when the work rejects, with the work's own error, and the connection stays usable", async () => {
  const { pool, rows } = await withTable();
  const fault = new TypeError("no");
  const work = pool.transaction(async (transaction) => {
    await transaction.run(insert, [1]);
    throw fault;
  });
  await expect(work).rejects.toBe(fault);
  expect(await rows()).toStrictEqual([]);
  await pool.run(insert, [2]);
  expect(await rows()).toStrictEqual([2]);
});

test("is unavailable, not a success, when the work hid a failed statement", async () => {
  const { pool, rows } = await withTable({ constraint: "UNIQUE" });
  const work = pool.transaction(async (transaction) => {
    await transaction.run(insert, [1]);
    await transaction.run(insert, [1]).catch(() => {});
  });
  await expect(work).rejects.toMatchObject(UNAVAILABLE);
  expect(await rows()).toStrictEqual([]);
  await pool.run(insert, [2]);
});

test("shows a constraint that is checked at COMMIT, and stores nothing", async () => {
  const { pool, rows } = await withTable({
    constraint: "CONSTRAINT late UNIQUE DEFERRABLE INITIALLY DEFERRED",
  });
  const work = pool.transaction(async (transaction) => {
    await transaction.run(insert, [1]);
    await transaction.run(insert, [1]);
  });
  await expect(work).rejects.toMatchObject({ code: "23505", constraint: "late" });
  expect(await rows()).toStrictEqual([]);
  await pool.run(insert, [2]);
});

describe("a connection that is cut", () => {
  test("with the answer to COMMIT leaves the outcome unknown: unavailable, although it is stored", async () => {
    const { pool, proxy, rows } = await withTable();
    proxy.onRequest = (chunk) => (chunk.includes("COMMIT\0") ? "cut" : "pass");
    const work = pool.transaction((transaction) => transaction.run(insert, [1]));
    await expect(work).rejects.toMatchObject(UNAVAILABLE);
    // The server had the COMMIT: that is what "unknown" means, and why only an idempotency key can show it.
    expect(await rows()).toStrictEqual([1]);
    proxy.onRequest = () => "pass";
    expect(await pool.run(all, [])).toStrictEqual([{ n: 1 }]);
  });

  test("in the middle is unavailable, and stores nothing", async () => {
    const { pool, proxy, rows } = await withTable();
    const work = pool.transaction(async (transaction) => {
      await transaction.run(insert, [1]);
      proxy.cutAll();
      await transaction.run(insert, [2]);
    });
    await expect(work).rejects.toMatchObject(UNAVAILABLE);
    expect(await rows()).toStrictEqual([]);
    await pool.run(insert, [3]);
  });

  test("while the work does something else ends nothing but the transaction", async () => {
    const { pool, proxy, rows } = await withTable();
    const work = pool.transaction(async (transaction) => {
      await transaction.run(insert, [1]);
      proxy.cutAll();
      // Long enough for the loss to arrive while no statement is under way: an event without a
      // listener would end us.
      await pause(50);
    });
    await expect(work).rejects.toMatchObject(UNAVAILABLE);
    expect(await rows()).toStrictEqual([]);
  });
});

test("a server that hangs does not delay the caller twice: no ROLLBACK is waited for", async () => {
  const { pool, proxy } = await withTable();
  await pool.run(all, []);
  let rollbacks = 0;
  proxy.onRequest = (chunk) => {
    if (chunk.includes("ROLLBACK")) rollbacks += 1;
    return chunk.includes("test.insert") ? "hold" : "pass";
  };
  const work = pool.transaction((transaction) => transaction.run(insert, [1]));
  await expect(work).rejects.toMatchObject(UNAVAILABLE);
  // It would take as long as the statement again.
  expect(rollbacks).toBe(0);
  proxy.onRequest = () => "pass";
  expect(await pool.run(all, [])).toStrictEqual([]);
});
