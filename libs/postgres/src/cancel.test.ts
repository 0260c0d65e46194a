// Guarantees: what a signal's owner has left stops at the server, running or waiting, and rejects with the
// signal's reason; the request never reaches a later statement on the connection; a transaction is rolled
// back, and a COMMIT runs to its end; an account has no more than its share of the connections.

import { eventually, type TestDatabase } from "@annals/testing";
import { databaseMetrics, Registry } from "@annals/chassis";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { statement } from "./statement.ts";
import { newDatabase, openPool, startProxy } from "./testing/test-server.ts";

const one = statement<[], { one: number }>("/* test.one */ SELECT 1 AS one", { route: "local" });
const backend = statement<[], { pid: number }>("/* test.pid */ SELECT pg_backend_pid() AS pid", {
  route: "local",
});
const sleep = statement<[seconds: number], object>(
  "/* test.sleep */ SELECT pg_sleep($1::double precision)",
  { route: "local" },
);
const insert = statement<[n: number], object>(
  "/* test.insert */ INSERT INTO public.t VALUES ($1::int)",
  {
    route: "local",
  },
);

/** `CancelRequest` of the protocol: 16 bytes, the code at the fifth. */
const CANCEL_CODE = Buffer.from([0x04, 0xd2, 0x16, 0x2e]);
const isCancelRequest = (chunk: Buffer): boolean =>
  chunk.length === 16 && chunk.subarray(4, 8).equals(CANCEL_CODE);

async function sleeping(database: TestDatabase): Promise<number> {
  const rows = await database.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
     AND query LIKE '/* test.sleep %' AND state = 'active'`,
  );
  return rows.length;
}

const isSleeping = (database: TestDatabase, count = 1) =>
  eventually("it runs", async () => (await sleeping(database)) === count);

/** A proxy that passes each chunk on after as many milliseconds as `delayMs` says. */
async function slowProxy(serverUrl: string, delayMs: (chunk: Buffer) => number): Promise<string> {
  const url = new URL(serverUrl);
  const [port, host] = [Number(url.port), url.hostname];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => {}));
    client.on("data", (chunk) => setTimeout(() => upstream.write(chunk), delayMs(chunk)));
    client.on("close", () => upstream.destroy());
    upstream.pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url.href;
}

test("a running statement stops at the server, and its connection serves again", async () => {
  const database = await newDatabase();
  const registry = new Registry();
  const pool = openPool(database.url, { maxConnections: 1, metrics: databaseMetrics(registry) });
  const before = await pool.run(backend, []);
  const left = new AbortController();
  const reason = new Error("left");
  const running = pool.forAccount("a", left.signal).run(sleep, [30]);
  await isSleeping(database);
  left.abort(reason);
  await expect(running).rejects.toBe(reason);
  await eventually("it runs no longer", async () => (await sleeping(database)) === 0);
  expect(await pool.run(backend, [])).toStrictEqual(before);
  expect(await registry.metrics()).toMatch(
    /duration_seconds_count\{db_operation_name="test.sleep",error_type="cancelled"\} 1/,
  );
});

test("nothing is sent for a signal that has aborted before, or aborts later", async () => {
  const { url } = await newDatabase();
  const proxy = await startProxy(url);
  const requests: Buffer[] = [];
  proxy.onRequest = (chunk) => (requests.push(chunk), "pass");
  const pool = openPool(proxy.url);
  const left = new AbortController();
  const own = pool.forAccount("a", left.signal);
  expect(await own.run(one, [])).toStrictEqual([{ one: 1 }]);
  requests.length = 0;
  left.abort();
  await expect(own.run(one, [])).rejects.toBe(left.signal.reason);
  await expect(own.transaction((all) => all.run(one, []))).rejects.toBe(left.signal.reason);
  await pool.run(backend, []);
  expect(requests.filter((chunk) => !chunk.includes("test.pid"))).toStrictEqual([]);
});

test("a wait for a connection ends", async () => {
  const database = await newDatabase();
  const pool = openPool(database.url, { maxConnections: 1 });
  const holding = new AbortController();
  const held = pool.forAccount("a", holding.signal).run(sleep, [30]);
  await isSleeping(database);
  const left = new AbortController();
  const waiting = pool.forAccount("b", left.signal).run(one, []);
  left.abort();
  await expect(waiting).rejects.toBe(left.signal.reason);
  expect(await sleeping(database)).toBe(1);
  holding.abort();
  await expect(held).rejects.toBe(holding.signal.reason);
});

test("a request that comes before its statement is repeated", async () => {
  const database = await newDatabase();
  const url = await slowProxy(database.url, (chunk) => (chunk.includes("test.sleep") ? 60 : 0));
  const pool = openPool(url, { maxConnections: 1, statementTimeoutMs: 60_000 });
  await pool.run(one, []);
  const left = new AbortController();
  const running = pool.forAccount("a", left.signal).run(sleep, [30]);
  const reason = new Error("left");
  setImmediate(() => left.abort(reason));
  await expect(running).rejects.toBe(reason);
});

test("a request that comes late reaches no other statement", async () => {
  const database = await newDatabase();
  // The statement ends by itself while the request is under way.
  let requests = 0;
  const url = await slowProxy(database.url, (chunk) => {
    if (!isCancelRequest(chunk)) return 0;
    requests += 1;
    return 700;
  });
  const pool = openPool(url, { maxConnections: 1 });
  const left = new AbortController();
  const abandoned = pool.forAccount("a", left.signal).run(sleep, [0.5]);
  await isSleeping(database);
  left.abort();
  await eventually("the request is under way", () => requests > 0);
  const next = pool.forAccount("b").run(sleep, [1]);
  await abandoned.catch((error) => expect(error).toBe(left.signal.reason));
  expect(await next).toHaveLength(1);
});

test("a connection is not used again if it is unknown whether the request was acted on", async () => {
  const database = await newDatabase();
  const proxy = await startProxy(database.url);
  const pool = openPool(proxy.url, { maxConnections: 1 });
  const before = await pool.run(backend, []);
  proxy.onRequest = (chunk) => (isCancelRequest(chunk) ? "drop" : "pass");
  const left = new AbortController();
  const running = pool.forAccount("a", left.signal).run(sleep, [0.2]);
  await isSleeping(database);
  left.abort();
  // It was not cancelled, so it has succeeded.
  expect(await running).toHaveLength(1);
  expect(await pool.run(backend, [])).not.toStrictEqual(before);
});

test("a transaction is rolled back, in a statement and between two", async () => {
  const database = await newDatabase();
  await database.query("CREATE TABLE t (n int)");
  const pool = openPool(database.url, { maxConnections: 1 });
  for (const last of [30, 0]) {
    const left = new AbortController();
    const reason = new Error("left");
    const work = pool.forAccount("a", left.signal).transaction(async (transaction) => {
      await transaction.run(insert, [1]);
      const running = transaction.run(sleep, [last]);
      if (last > 0) await isSleeping(database);
      else await running;
      left.abort(reason);
      await running;
    });
    await expect(work).rejects.toBe(reason);
    expect(await database.query("SELECT n FROM t")).toStrictEqual([]);
    expect(await pool.run(one, [])).toStrictEqual([{ one: 1 }]);
  }
});

test("a COMMIT is not cancelled", async () => {
  const database = await newDatabase();
  await database.query("CREATE TABLE t (n int)");
  await database.query(
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END $$`,
  );
  await database.query(
    `CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW EXECUTE FUNCTION slow()`,
  );
  const left = new AbortController();
  const work = openPool(database.url)
    .forAccount("a", left.signal)
    .transaction((transaction) => transaction.run(insert, [1]));
  await eventually("it commits", async () => {
    const rows = await database.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND query = 'COMMIT' AND state = 'active'`,
    );
    return rows.length === 1;
  });
  left.abort();
  await work;
  expect(await database.query("SELECT n FROM t")).toStrictEqual([{ n: 1 }]);
});

test("an account that takes what it can leaves connections to others", async () => {
  const database = await newDatabase();
  const pool = openPool(database.url, { maxConnections: 5 });
  const left = new AbortController();
  const greedy = pool.forAccount("a", left.signal);
  const many = Array.from({ length: 20 }, () => greedy.run(sleep, [30]));
  await isSleeping(database, 2);
  const others = ["b", "c", "d"].map((account) => pool.forAccount(account).run(one, []));
  expect(await Promise.all([pool.run(one, []), ...others])).toHaveLength(4);
  expect(await sleeping(database)).toBe(2);
  left.abort();
  for (const { status } of await Promise.allSettled(many)) expect(status).toBe("rejected");
});
