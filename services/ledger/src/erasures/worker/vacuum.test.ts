// Guarantees: erased values leave the tables with a VACUUM within a day, and an erasure says so only once no
// snapshot can have kept them. Before PostgreSQL 17 it follows autovacuum.

import { createLog } from "@annals/chassis";
import { createPool, type Database, type Pool, vacuumTables } from "@annals/postgres";
import { PATIENT } from "@annals/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ROLE } from "../../config.ts";
import { openErasures } from "../../testing/erasure-fixtures.ts";
import { type LifecycleFixtures, openLifecycleFixtures } from "../../testing/lifecycle-fixtures.ts";
import { DELAY_MS, GATHER_S, RETRY_MS, Vacuum } from "./vacuum.ts";

const NEVER = new AbortController().signal;

let world: LifecycleFixtures;
let erasures: ReturnType<typeof openErasures>;
let accountId: string;
let owner: Pool;

beforeAll(async () => {
  world = await openLifecycleFixtures();
  erasures = openErasures(world);
  owner = createPool({
    connectionString: world.owner.url,
    applicationName: "test",
    maxConnections: 1,
    ...PATIENT,
    log: createLog({ service: "test", level: "error" }),
  });
});
afterAll(() => owner.close());

beforeEach(async () => {
  await world.owner.query("DELETE FROM ledger.erasures");
  accountId = await world.newChain(300);
  await erasures.ask(accountId, { actorId: "u_1" });
});

/** Runs statements in a transaction, and resolves to its end. */
async function begin(...texts: readonly string[]): Promise<() => Promise<void>> {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction = owner.transaction(async (database) => {
    for (const text of texts)
      await database.run({ name: "test.begin", text, route: "local", customPlan: true }, []);
    begun.resolve();
    await ended.promise;
  });
  await Promise.race([begun.promise, transaction]);
  return async () => {
    ended.resolve();
    await transaction;
  };
}

const erase = () => erasures.newReplica().pass();
const later = (seconds: number) =>
  world.owner.query("UPDATE ledger.erasures SET done_at = done_at - $1 * interval '1 second'", [
    seconds,
  ]);
const vacuumedAt = async () => (await erasures.request(accountId))["vacuumed_at"];

function vacuum(database: Database = world.pool) {
  let calls = 0;
  const options = { connectionString: world.owner.url, role: ROLE, applicationName: "test" };
  const worker = new Vacuum({
    database,
    log: createLog({ service: "test", level: "error" }),
    vacuumTables: (tables, signal) => {
      calls += 1;
      return vacuumTables(options, tables, signal);
    },
  });
  return { calls: () => calls, pass: () => worker.run(NEVER) };
}

test("it waits for further erasures, and is done once", async () => {
  const { calls, pass } = vacuum();
  await pass();
  await erase();
  await later(GATHER_S - 60);
  expect(await pass()).toBe(DELAY_MS);
  expect(calls()).toBe(0);
  await later(60);
  expect(await pass()).toBe(DELAY_MS);
  expect(await vacuumedAt()).toEqual(expect.anything());
  await pass();
  expect(calls()).toBe(1);
});

test("a snapshot from before the erasure keeps the values, and so does its erasure", async () => {
  const end = await begin(
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "SELECT 1 FROM ledger.heads LIMIT 1",
  );
  await erase();
  await later(GATHER_S);
  const { pass } = vacuum();
  expect(await pass()).toBe(RETRY_MS);
  expect(await vacuumedAt()).toBeNull();
  await end();
  expect(await pass()).toBe(DELAY_MS);
  expect(await vacuumedAt()).toEqual(expect.anything());
});

test("a table that another session vacuums is skipped, and nothing is said of it", async () => {
  await erase();
  await later(GATHER_S);
  const end = await begin("LOCK TABLE ledger.blocks IN SHARE UPDATE EXCLUSIVE MODE");
  const { pass } = vacuum();
  expect(await pass()).toBe(RETRY_MS);
  await end();
  expect(await vacuumedAt()).toBeNull();
});

test("an erasure of nothing needs no VACUUM", async () => {
  await world.owner.query("DELETE FROM ledger.erasures");
  await erasures.ask(accountId, { actorId: "u_9" });
  await erase();
  await later(GATHER_S);
  const { calls, pass } = vacuum();
  expect(await pass()).toBe(DELAY_MS);
  expect(calls()).toBe(0);
});

test.each([
  ["before it", 120, false],
  ["after it", 30, true],
])("PostgreSQL 16: autovacuum was %s", async (_, vacuumedS, isVacuumed) => {
  await erase();
  await later(60);
  const run: Database["run"] = async (statement, params) =>
    statement.name === "ledger.get-vacuum-times"
      ? ([{ can_vacuum: false, vacuumed_s: vacuumedS }] as never)
      : world.pool.run(statement, params);
  const { calls, pass } = vacuum({ run });
  await pass();
  expect(calls()).toBe(0);
  expect((await vacuumedAt()) !== null).toBe(isVacuumed);
});
