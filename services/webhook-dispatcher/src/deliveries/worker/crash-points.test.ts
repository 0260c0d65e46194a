// Guarantee: wherever a process crashes between the entry and the stored result, nothing is lost and no
// delivery is created twice. Each test ends a replica at one point and lets another go on. Before the notice,
// and after it: fan-out.test.ts. Real processes are killed in test/flows/webhooks-nothing-lost.test.ts.

import { ON_ONE_SERVER } from "@annals/testing";
import { unavailable } from "@annals/errors";
import { expect, test } from "vitest";
import { FakeTime, newAccountId, newService, intercepted } from "../../testing/dispatcher.ts";

const crashed = () => unavailable("the process has crashed here");

async function begin() {
  const time = new FakeTime();
  const { database, handlers, producers, replica } = await newService({ now: time.now });
  const accountId = newAccountId();
  const { webhook } = await handlers.create(accountId);
  const count = async () => (await database.query("SELECT FROM webhooks.deliveries")).length;
  const records = () => handlers.deliveries(accountId, webhook.id);
  return { accountId, count, database, producers, records, replica, time };
}

test("in the fan-out, before its commit: nothing of it is stored, and the next replica does all of it", async () => {
  const { accountId, count, database, producers, replica } = await begin();
  const pool = database.pool();
  const dying = replica(
    intercepted(pool, {
      transaction: (work) =>
        pool.transaction(async (transaction) => {
          await work(transaction);
          throw crashed();
        }),
    }),
  );
  await dying.produce(accountId, 5);
  expect(await count()).toBe(0);
  const { fanOut } = replica();
  fanOut.notify({ kind: "events", accountId, position: producers.add(accountId, "events", 0) });
  await fanOut.settled();
  expect(await count()).toBe(5);
});

test("in the fan-out, after its commit and before the acknowledgement: the next replica creates none again", async () => {
  const { accountId, count, database, producers, replica } = await begin();
  const pool = database.pool();
  const dying = replica(
    intercepted(pool, {
      transaction: async (work) => {
        await pool.transaction(work);
        throw crashed();
      },
    }),
  );
  await dying.produce(accountId, 5);
  expect(await count()).toBe(5);
  const next = replica();
  next.fanOut.notify({
    kind: "events",
    accountId,
    position: producers.add(accountId, "events", 2),
  });
  await next.fanOut.settled();
  expect(await count()).toBe(7);
  // The engine was not notified of the first five.
  next.sender.answer = () => 200;
  await next.engine.round();
  expect(next.sender.attempts.length).toBe(7);
});

test("after the claim, before the request: attempted when the lease is over, and counted once", async () => {
  const { accountId, database, records, replica, time } = await begin();
  const pool = database.pool();
  const dying = replica(
    intercepted(pool, {
      run: async (statement, params) => {
        const rows = await pool.run(statement, params);
        if (statement.name === "webhooks.claim-deliveries") throw crashed();
        return rows;
      },
    }),
  );
  await dying.produce(accountId);
  const round = dying.engine.round();
  // Over several servers the engine claims for each account apart, and reports what failed.
  if (ON_ONE_SERVER) await expect(round).rejects.toThrow("the process has crashed here");
  else await round;
  const next = replica();
  next.sender.answer = () => 200;
  await next.engine.round();
  expect(next.sender.attempts).toEqual([]);
  time.advance(15);
  await next.engine.round();
  await next.engine.settled();
  expect(await records()).toMatchObject([{ attempts: 1, success: true }]);
});

test("after the request, before its result: sent again with the same body, and counted once", async () => {
  const { accountId, records, replica, time } = await begin();
  const dying = replica();
  await dying.produce(accountId);
  await dying.engine.round();
  const next = replica();
  next.sender.answer = () => 503;
  time.advance(15);
  await next.engine.round();
  await next.engine.settled();
  expect(await records()).toMatchObject([{ attempts: 1, statusCode: 503 }]);
  const [first, second] = [dying.sender.attempts[0], next.sender.attempts[0]];
  expect([second?.payloadId, second?.body]).toEqual([first?.payloadId, first?.body]);
});

test("after the result's commit, its acknowledgement lost: to store it again changes nothing", async () => {
  const { accountId, database, records, replica } = await begin();
  const pool = database.pool();
  let losses = 0;
  const unacknowledged = replica(
    intercepted(pool, {
      run: async (statement, params) => {
        const rows = await pool.run(statement, params);
        if (statement.name === "webhooks.record-results" && losses++ === 0) throw crashed();
        return rows;
      },
    }),
  );
  unacknowledged.sender.answer = () => 500;
  await unacknowledged.produce(accountId);
  await unacknowledged.engine.round();
  await unacknowledged.engine.settled();
  expect(losses).toBe(2);
  expect(await records()).toMatchObject([{ attempts: 1, statusCode: 500 }]);
});

/** Claims with a process that then ends: what it sends gets no answer, and no result is stored. */
async function die(replica: () => ReturnType<Awaited<ReturnType<typeof newService>>["replica"]>) {
  const dying = replica();
  await dying.engine.round();
  return dying.sender.attempts.map(({ payloadId }) => payloadId);
}

/** The lease of a claim. Its retry comes one to two times the delay after it. */
const LEASE_S = 15;

test("a delivery that ends each process is sent again once at once, then by the schedule, and is failed in the end", async () => {
  const { accountId, database, records, replica, time } = await begin();
  await replica().produce(accountId);
  const sent = [await die(replica)];
  expect(await records()).toEqual([]);
  time.advance(LEASE_S);
  sent.push(await die(replica));
  for (const [at, delayS] of [60, 300, 900].entries()) {
    const [record] = await records();
    expect(record).toMatchObject({ attempts: at + 1, success: false, failure: "interrupted" });
    expect(record).not.toHaveProperty("statusCode");
    const nextS = (Date.parse(String(record?.["nextRetryAt"])) - Date.parse(time.text())) / 1_000;
    expect(nextS).toBeGreaterThanOrEqual(LEASE_S + delayS);
    expect(nextS).toBeLessThan(LEASE_S + 2 * delayS);
    time.advance(nextS - 1);
    expect(await die(replica)).toEqual([]);
    time.advance(1);
    sent.push(await die(replica));
  }
  expect(await records()).toMatchObject([{ attempts: 4, success: false }]);
  time.advance(LEASE_S);
  expect(await die(replica)).toEqual([]);
  const [record] = await records();
  expect(record).toMatchObject({ attempts: 4, success: false, failure: "interrupted" });
  expect(record).not.toHaveProperty("nextRetryAt");
  expect(sent.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1]);
  const left =
    "SELECT FROM webhooks.deliveries WHERE due_at IS NOT NULL OR leased_until IS NOT NULL";
  expect(await database.query(left)).toEqual([]);
});

test("an attempt that was counted first is counted once by its result, and not at all by its release", async () => {
  const { accountId, records, replica, time } = await begin();
  await replica().produce(accountId);
  await die(replica);
  time.advance(LEASE_S);
  const draining = replica();
  await draining.engine.round();
  expect(await records()).toMatchObject([{ attempts: 1 }]);
  await draining.engine.stop(0);
  expect(await records()).toEqual([]);
  await die(replica);
  time.advance(LEASE_S);
  const last = replica();
  last.sender.answer = () => 503;
  await last.engine.round();
  await last.engine.settled();
  expect(await records()).toMatchObject([
    { attempts: 1, statusCode: 503, failure: "status", nextRetryAt: time.text(60) },
  ]);
});

test("deliveries that were in flight together are not sent together after the second end", async () => {
  const { accountId, database, replica, time } = await begin();
  await replica().produce(accountId, 10);
  expect(await die(replica)).toHaveLength(10);
  time.advance(LEASE_S);
  expect(await die(replica)).toHaveLength(10);
  const due = await database.query("SELECT DISTINCT due_at FROM webhooks.deliveries");
  expect(due).toHaveLength(10);
});

test("a delivery that a replica cannot sign is left to others, and costs no attempt", async () => {
  const { accountId, database, records, replica, time } = await begin();
  await replica().produce(accountId);
  const sealed = "UPDATE webhooks.webhooks SET secret_key_id";
  await database.query(`${sealed} = 'k-' || secret_key_id`);
  for (let i = 0; i < 6; i++) {
    const unable = replica();
    await unable.engine.round();
    await unable.engine.settled();
    expect(unable.sender.attempts).toEqual([]);
    // It has given back its claim, and does not claim it again at once.
    expect(await database.query("SELECT due_at, leased_until FROM webhooks.deliveries")).toEqual([
      { due_at: new Date(time.text(LEASE_S)), leased_until: null },
    ]);
    time.advance(LEASE_S);
  }
  await database.query(`${sealed} = substr(secret_key_id, 3)`);
  const next = replica();
  next.sender.answer = () => 200;
  await next.engine.round();
  await next.engine.settled();
  expect(await records()).toMatchObject([{ attempts: 1, success: true }]);
});
