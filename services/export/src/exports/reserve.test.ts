// Guarantees: the files of an account never have more bytes than it may have, however many are written at
// the same time and by whichever replicas; a file of exactly that many is completed. An export without room
// fails at its first attempt, leaves no file, and takes no room from others. Other accounts notice nothing.
// With a real PostgreSQL and a real directory.

import { eventually, ON_ONE_SERVER } from "@annals/testing";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import type { TakenRow } from "./store/take-job.ts";
import { ACCOUNT, gate, ledger, type StreamEvents, TestExports } from "../testing/test-exports.ts";
import { reservation } from "./reserve.ts";

const { databaseUrl } = inject("stack");
const PAGE_BYTES = 256 * 1024;
let exports: TestExports;

beforeAll(async () => {
  exports = await TestExports.open(databaseUrl);
});
afterEach(() => exports.reset());
afterAll(() => exports.close());

/** As large pages as the ledger may send. */
const large = (pages: number, end: () => Promise<void> | void = () => {}): StreamEvents =>
  async function* (request, options) {
    for (let page = 0; page < pages; page += 1)
      for await (const answer of ledger()(request, options))
        yield { ...answer, text: Buffer.alloc(PAGE_BYTES, "x") };
    await end();
  };

const settled = (ids: readonly string[]) =>
  eventually("all have ended", async () => {
    const jobs = await Promise.all(ids.map((id) => exports.job(id)));
    const ended = jobs.filter(({ status }) => status === "completed" || status === "failed");
    return ended.length === ids.length ? jobs : undefined;
  });

/** Files only grow until they are deleted: those that are there afterwards had at least so much at once. */
async function bytesOnDisk(account = ACCOUNT): Promise<number> {
  const folder = join(exports.directory, account);
  const names = () => readdir(folder).catch((): string[] => []);
  const sizeOf = (name: string) => stat(join(folder, name)).then(({ size }) => size);
  const sizes = new Map<string, number>();
  for (const name of await names()) sizes.set(name, await sizeOf(name).catch(() => 0));
  const left = await names();
  return left.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
}

test("a file of as many bytes as there are is completed, of one more it fails at once and leaves nothing", async () => {
  const first = await exports.queue();
  const { worker } = exports.work(ledger());
  const [{ size_bytes: size }] = (await settled([first])) as [{ size_bytes: string }];
  await worker.stop();

  const exact = await exports.queue("acct_2");
  const within = exports.work(ledger(), { maxBytesPerAccount: Number(size) });
  expect(await settled([exact])).toMatchObject([{ status: "completed", size_bytes: size }]);
  await within.worker.stop();

  const beyond = await exports.queue("acct_3");
  const { notified } = exports.work(ledger(), { maxBytesPerAccount: Number(size) - 1 });
  expect(await settled([beyond])).toMatchObject([{ status: "failed", attempts: 1 }]);
  await eventually("nothing is reserved", async () => {
    return (await exports.job(beyond))["reserved_bytes"] === "0";
  });
  expect(await bytesOnDisk("acct_3")).toBe(0);
  expect(notified).toEqual([]);
});

test("what the plan said when an export was asked for bounds it, above and below the setting", async () => {
  const first = await exports.queue();
  const { worker } = exports.work(ledger());
  const [{ size_bytes: size }] = (await settled([first])) as [{ size_bytes: string }];
  await worker.stop();
  const queued = async (accountId: string, maxBytes: number) => {
    const id = await exports.queue(accountId);
    const bounded = "UPDATE exports.jobs SET max_bytes = $2 WHERE id = $1";
    await exports.database.query(bounded, [id, maxBytes]);
    return id;
  };
  const above = [
    await queued("acct_2", Number(size)),
    await queued("acct_3", Number(size) - 1),
    await exports.queue("acct_4"),
  ];
  const smaller = exports.work(ledger(), { maxBytesPerAccount: Number(size) - 1 });
  const states = async (ids: readonly string[]) => (await settled(ids)).map(({ status }) => status);
  expect(await states(above)).toEqual(["completed", "failed", "failed"]);
  await smaller.worker.stop();
  const below = [await queued("acct_5", Number(size)), await queued("acct_6", Number(size) - 1)];
  exports.work(ledger());
  expect(await states(below)).toEqual(["completed", "failed"]);
});

test("however many are written at once, the files stay within the bound, and another account's are written", async () => {
  const maxBytesPerAccount = 8 * PAGE_BYTES;
  const held = gate();
  // Of the tests before.
  const before = await bytesOnDisk();
  const other = await exports.queue("acct_2");
  const ids = await Promise.all(Array.from({ length: 9 }, () => exports.queue()));
  for (let n = 0; n < 4; n += 1)
    exports.work(
      large(1, () => held.promise),
      { maxBytesPerAccount, concurrency: 1 },
    );
  let most = 0;
  await eventually("one is written but for its last line", async () => {
    most = Math.max(most, (await bytesOnDisk()) - before);
    return most >= 3 * PAGE_BYTES;
  });
  held.resolve();
  const jobs = await settled(ids);
  most = Math.max(most, (await bytesOnDisk()) - before);
  expect(most).toBeLessThanOrEqual(maxBytesPerAccount);
  const states = jobs.map(({ status }) => String(status));
  expect(states).toContain("completed");
  expect(states).toContain("failed");
  await exports.reached(other, "completed");
});

test("what is reserved at the same moment stays within the bound", async () => {
  await Promise.all(Array.from({ length: 9 }, () => exports.queue()));
  const running = "UPDATE exports.jobs SET status = 'running', lease_token = 1 RETURNING *";
  const jobs = (await exports.database.query(running)) as unknown as TakenRow[];
  const maxBytesPerAccount = 3 * PAGE_BYTES;
  const deps = { database: exports.pool, maxBytesPerAccount };
  const asked = await Promise.allSettled(jobs.map((job) => reservation(deps, job)(PAGE_BYTES)));
  const has = asked.filter(({ status }) => status === "fulfilled").length;
  expect(has).toBeGreaterThan(0);
  expect(has).toBeLessThanOrEqual(3);
  const sum = "SELECT sum(reserved_bytes)::integer AS bytes FROM exports.jobs";
  const [row] = await exports.database.query(sum);
  expect(row?.["bytes"]).toBeLessThanOrEqual(maxBytesPerAccount);
});

test.runIf(ON_ONE_SERVER)(
  "two replicas reserve one after the other: the second knows what the first has reserved",
  async () => {
    await Promise.all([exports.queue(), exports.queue()]);
    const running = "UPDATE exports.jobs SET status = 'running', lease_token = 1 RETURNING *";
    const [first, second] = (await exports.database.query(running)) as unknown as [
      TakenRow,
      TakenRow,
    ];
    const maxBytesPerAccount = 3 * PAGE_BYTES;
    const replica = exports.openPool();
    const waits = async (statement: string) =>
      (
        await exports.database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database()
         AND wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`,
          [statement],
        )
      ).length > 0;
    let isSecondOver = false;
    // The first has seen that there is room, and waits for the row in which to say so.
    const asked = await exports.pool.transaction(async (transaction) => {
      const hold = "SELECT FROM exports.jobs WHERE id = $1::text FOR UPDATE";
      await transaction.run({ name: "test.hold", text: hold, route: "local", customPlan: true }, [
        first.id,
      ]);
      const deps = { database: exports.pool, maxBytesPerAccount };
      const one = reservation(deps, first)(2 * PAGE_BYTES);
      await eventually("the first waits", () => waits("reserve-bytes"));
      const two = reservation({ ...deps, database: replica }, second)(2 * PAGE_BYTES);
      const both = Promise.allSettled([one, two]);
      void two.catch(() => {}).finally(() => (isSecondOver = true));
      await eventually("so does the second", async () => isSecondOver || waits("lock-account"));
      return () => both;
    });
    const outcomes = await asked();
    await replica.close();
    const [row] = await exports.database.query(
      "SELECT sum(reserved_bytes)::integer AS bytes FROM exports.jobs",
    );
    expect(row?.["bytes"]).toBeLessThanOrEqual(maxBytesPerAccount);
    expect(outcomes).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { name: "RoomReserved" } },
    ]);
  },
);

test("what is deleted and still there takes room until it is gone", async () => {
  const kept = await exports.queue();
  const { worker } = exports.work(large(1));
  await exports.reached(kept, "completed");
  await worker.stop();
  await exports.database.query("UPDATE exports.jobs SET deleted_at = created_at WHERE id = $1", [
    kept,
  ]);
  const maxBytesPerAccount = 5 * PAGE_BYTES;
  const next = await exports.queue();
  const failing = exports.work(large(1), { maxBytesPerAccount });
  expect(await settled([next])).toMatchObject([{ status: "failed" }]);
  await failing.worker.stop();
  await exports.database.query("DELETE FROM exports.jobs WHERE id = $1", [kept]);
  const last = await exports.queue();
  exports.work(large(1), { maxBytesPerAccount });
  expect(await settled([last])).toMatchObject([{ status: "completed" }]);
});
