// Guarantees: one worker at a time has a job, whichever crashes or hangs; failed attempts are retried with
// backoff, and the job fails for good after a bounded number of them, or at once if the storage refuses its
// file; a lost lease, a failed attempt and a worker that was fenced off leave no file and no outbox entry.
// What is given back to the quota of a day is given back to that day.
// With a real PostgreSQL and a real directory; the ledger is a fake.

import { createRegistry } from "@annals/chassis";
import { unavailable } from "@annals/errors";
import { EventFilterSchema } from "@annals/proto/ledger";
import { eventually } from "@annals/testing";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { createMetrics } from "../../metrics.ts";
import { directoryStorage } from "../../storage/directory-storage.ts";
import { StorageRefused } from "../../storage/storage.ts";
import { gate, ledger, type StreamEvents, TestExports } from "../../testing/test-exports.ts";
import type { WorkerDeps } from "./export-worker.ts";

const { databaseUrl } = inject("stack");
let exports: TestExports;

beforeAll(async () => {
  exports = await TestExports.open(databaseUrl);
});
afterEach(() => exports.reset());
afterAll(() => exports.close());

const work = (streamEvents: StreamEvents, options: Partial<WorkerDeps> = {}) =>
  exports.work(streamEvents, options);
const queue = (accountId?: string) => exports.queue(accountId);
const job = (id: string) => exports.job(id);
const reached = (id: string, status: string) => exports.reached(id, status);
const outbox = () => exports.outbox();
const filesOf = (id: string) => exports.filesOf(id);

test("a job is written, completed and notified once, with any number of workers", async () => {
  const started = [work(ledger()), work(ledger()), work(ledger())];
  const ids = await Promise.all(Array.from({ length: 10 }, () => queue()));
  for (const id of ids) await reached(id, "completed");
  const entries = await outbox();
  expect(entries.map(({ position }) => Number(position))).toEqual(ids.map((_, at) => at + 1));
  expect(new Set(entries.map(({ data }) => JSON.parse(data).id))).toEqual(new Set(ids));
  expect(started.flatMap(({ notified }) => notified)).toHaveLength(ids.length);
  for (const id of ids) expect(await filesOf(id)).toEqual([`${id}.1.jsonl`]);
});

test("the lease is renewed for as long as the work takes", async () => {
  const held = gate();
  const id = await queue();
  work(ledger(() => held.promise));
  await reached(id, "running");
  const other = work(ledger());
  const [first] = await exports.database.query("SELECT due_at FROM exports.jobs WHERE id = $1", [
    id,
  ]);
  await eventually("two leases' time has passed", async () => {
    const [row] = await exports.database.query(
      "SELECT clock_timestamp() > $1::timestamptz + interval '1 second' AS passed",
      [first?.["due_at"]],
    );
    return row?.["passed"] === true;
  });
  expect(await job(id)).toMatchObject({ status: "running", lease_token: "1" });
  held.resolve();
  await reached(id, "completed");
  expect(other.notified).toEqual([]);
});

test("a worker without the lease completes nothing, and the file of the one that has it stays", async () => {
  const [written, held] = [gate(), gate()];
  const id = await queue();
  // The lease is too long to be renewed: only the token in the statements can stop it.
  const slow = work(
    ledger(() => {
      written.resolve();
      return held.promise;
    }),
    { leaseMs: 60_000 },
  );
  // Before that it would notice when it reserves bytes, and take the job again.
  await written.promise;
  // As if the first had hung for the time of its lease.
  await exports.database.query(
    "UPDATE exports.jobs SET due_at = now() - interval '1 hour', lease_token = lease_token + 1 WHERE id = $1",
    [id],
  );
  // This one does not delete the file of the first, so that the first can finish it.
  const storage = { ...directoryStorage(exports.directory), keepOnly: async () => {} };
  const other = work(ledger(), { storage });
  await reached(id, "completed");
  held.resolve();
  await slow.worker.stop();
  expect(await filesOf(id)).toEqual([`${id}.3.jsonl`]);
  expect(await outbox()).toHaveLength(1);
  expect([slow.notified, other.notified]).toEqual([[], [1n]]);
});

test("an attempt that fails after its lease was taken away counts as a lost lease", async () => {
  const metrics = createMetrics(createRegistry("test"));
  const id = await queue();
  const taken =
    "UPDATE exports.jobs SET lease_token = 9, due_at = now() + interval '1 hour' WHERE id = $1";
  const taking = ledger(async () => {
    await exports.database.query(taken, [id]);
    throw new Error("refused");
  });
  // The lease is too long to be renewed.
  work(taking, { leaseMs: 60_000, metrics });
  const outcomes = async () =>
    (await metrics.attempts.get()).values.filter(({ value }) => value > 0);
  await eventually("the attempt has ended", async () => (await outcomes()).length > 0);
  expect(await outcomes()).toMatchObject([{ labels: { outcome: "lease_lost" }, value: 1 }]);
  expect(await job(id)).toMatchObject({ status: "running", lease_token: "9" });
});

test("a failed attempt is retried after a delay, and the last one fails the job for good", async () => {
  const id = await queue();
  let attempts = 0;
  work(
    ledger(() => {
      attempts += 1;
      throw new Error("refused");
    }),
    { maxAttempts: 2 },
  );
  await eventually(
    "the first attempt failed",
    async () => (await job(id))["attempts"] === 1 && (await job(id))["status"] === "pending",
  );
  const [delay] = await exports.database.query(
    "SELECT due_at > now() AS waits FROM exports.jobs WHERE id = $1",
    [id],
  );
  expect(delay).toEqual({ waits: true });
  await reached(id, "failed");
  expect(attempts).toBe(2);
  expect(await filesOf(id)).toEqual([]);
  expect(await outbox()).toEqual([]);
});

test("a file that the storage refuses for a reason that stays fails the job at once", async () => {
  const metrics = createMetrics(createRegistry("test"));
  const id = await queue();
  const real = directoryStorage(exports.directory);
  const storage = {
    ...real,
    create: async (file: string) => ({
      ...(await real.create(file)),
      finish: () => Promise.reject(new StorageRefused("the storage refuses the file: 501")),
    }),
  };
  work(ledger(), { metrics, storage });
  await reached(id, "failed");
  expect(await job(id)).toMatchObject({ attempts: 1 });
  await eventually("the attempt is counted", async () => {
    const counted = (await metrics.attempts.get()).values.filter(({ value }) => value > 0);
    return counted.length === 1 && counted[0]?.labels["outcome"] === "storage_refused";
  });
  expect(await filesOf(id)).toEqual([]);
});

test("a job whose worker crashed in each attempt fails for good", async () => {
  const id = await queue();
  await exports.database.query(
    "UPDATE exports.jobs SET status = 'running', attempts = 3, due_at = now() WHERE id = $1",
    [id],
  );
  work(ledger());
  await reached(id, "failed");
  expect(await outbox()).toEqual([]);
});

test("what a filter leaves out is given back to the day of the request alone, if that is still kept", async () => {
  const accounts = { acct_same: "2026-01-31", acct_next: "2026-02-01" };
  const filter = create(EventFilterSchema, { beforeSequence: 100_001n });
  const ids: string[] = [];
  for (const [accountId, day] of Object.entries(accounts)) {
    ids.push(await exports.queue(accountId, "2026-01-31T23:59:59.000000Z"));
    await exports.database.query("INSERT INTO exports.daily_uses VALUES ($1, $2, 200000)", [
      accountId,
      day,
    ]);
  }
  await exports.database.query("UPDATE exports.jobs SET filter = $1", [
    toBinary(EventFilterSchema, filter),
  ]);
  work(ledger());
  for (const id of ids) await reached(id, "completed");
  // 15 of 16 of the 99,997 events that it has not written.
  expect(
    await exports.database.query("SELECT account_id, used FROM exports.daily_uses ORDER BY used"),
  ).toEqual([
    { account_id: "acct_same", used: String(200_000 - 93_747) },
    { account_id: "acct_next", used: "200000" },
  ]);
});

test("a stream that breaks goes on after the last event that arrived", async () => {
  const asked: (bigint | undefined)[] = [];
  const id = await queue();
  const streamEvents: StreamEvents = async function* (request, options) {
    asked.push(request.filter?.afterSequence);
    if (asked.length > 1) return;
    yield* ledger(() => {
      throw unavailable("gone");
    })(request, options);
  };
  work(streamEvents);
  await reached(id, "completed");
  expect(asked).toEqual([undefined, 3n]);
  expect(await job(id)).toMatchObject({ event_count: "3", attempts: 1 });
});

test("close releases the job at once and counts no attempt", async () => {
  const id = await queue();
  const endless: StreamEvents = (request, options) => {
    const stopped = gate();
    // The worker may have stopped before it waits for the next event.
    stopped.promise.catch(() => {});
    options?.signal?.addEventListener("abort", () => stopped.reject(options.signal?.reason));
    return ledger(() => stopped.promise)(request, options);
  };
  const { worker } = work(endless);
  await reached(id, "running");
  await worker.stop();
  expect(await job(id)).toMatchObject({ status: "pending", attempts: 0 });
  expect(await filesOf(id)).toEqual([]);
});

test("accounts take turns: the queue of one delays no other", async () => {
  const held = gate();
  const order: string[] = [];
  const streamEvents: StreamEvents = async function* (request, options) {
    order.push(request.accountId ?? "");
    yield* ledger(() => held.promise)(request, options);
  };
  work(streamEvents);
  const first = await queue("acct_many");
  await reached(first, "running");
  const many = await Promise.all(Array.from({ length: 9 }, () => queue("acct_many")));
  const two = [await queue("acct_two"), await queue("acct_two")];
  const one = await queue("acct_one");
  held.resolve();
  for (const id of [...many, ...two, one]) await reached(id, "completed");
  expect(order.slice(0, 6)).toEqual([
    "acct_many",
    "acct_two",
    "acct_one",
    "acct_many",
    "acct_two",
    "acct_many",
  ]);
});

test("accounts with nothing under way come first, whichever replica works on the others", async () => {
  const held = gate();
  const first = await queue();
  work(ledger(() => held.promise));
  await reached(first, "running");
  const waiting = [await queue(), await queue()];
  const other = await queue("acct_2");
  work(ledger(() => held.promise));
  await reached(other, "running");
  for (const id of waiting) expect(await job(id)).toMatchObject({ status: "pending" });
  held.resolve();
});

test("an account whose server is away keeps no other from its turn, nor does a list that fails", async () => {
  const [lost, second, third] = [
    await queue("acct_1"),
    await queue("acct_2"),
    await queue("acct_2"),
  ];
  const held = gate();
  const { pool } = exports;
  let isAway = false;
  const database: typeof pool = {
    ...pool,
    run: (statement, params) =>
      isAway && statement.route === "all accounts, read"
        ? Promise.reject(new Error("a server is away"))
        : pool.run(statement, params),
    forAccount: (accountId, signal) => {
      if (accountId === "acct_1") throw new Error("a server is away");
      return pool.forAccount(accountId, signal);
    },
  };
  work(
    ledger(() => held.promise),
    { database },
  );
  await reached(second, "running");
  isAway = true;
  held.resolve();
  await reached(third, "completed");
  expect(await job(lost)).toMatchObject({ status: "pending" });
});
