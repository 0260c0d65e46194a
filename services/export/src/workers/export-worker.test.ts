// A job is done by one worker at a time, whoever dies or stands still; what fails is tried again with
// pauses and fails for good after a bounded number of attempts; a lost lease, a failed attempt and a worker
// that was fenced off leave no file and no entry in the outbox. With a real PostgreSQL and a real
// directory; only the ledger is the test's own.

import { type Clock, systemClock } from "@annals/contract";
import { unavailable } from "@annals/errors";
import { createPool, type Pool } from "@annals/postgres";
import { EventFilterSchema, StreamEventsResponseSchema } from "@annals/proto/ledger";
import { createMigratedDatabase, eventually, type TestDatabase } from "@annals/testing";
import { create, toBinary } from "@bufbuild/protobuf";
import { createRegistry } from "@annals/chassis";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { createMetrics } from "../metrics.ts";
import { directoryStorage } from "../outbound/directory-storage.ts";
import { ExportWorker, type WorkerDeps } from "./export-worker.ts";

const { databaseUrl } = inject("stack");
const ACCOUNT = "acct_1";
const LEASE_MS = 600;
const clock: Clock = systemClock();
let database: TestDatabase;
let pool: Pool;
let directory: string;
let workers: ExportWorker[] = [];
let jobs = 0;

beforeAll(async () => {
  database = await createMigratedDatabase(databaseUrl);
  pool = createPool({
    connectionString: database.url,
    role: "annals_exports",
    applicationName: "test",
    maxConnections: 10,
    statementTimeoutMs: 5_000,
    log: pino({ level: "silent" }),
  });
  directory = await mkdtemp(join(tmpdir(), "annals-export-"));
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
  await database.query("DELETE FROM exports.jobs");
  await database.query("DELETE FROM exports.outbox");
});

afterAll(async () => {
  await pool.close();
  await database.drop();
  await rm(directory, { recursive: true });
});

type StreamEvents = WorkerDeps["ledger"]["streamEvents"];

/** Streams three events, then does `end`. */
function ledger(end: () => Promise<void> | void = () => {}): StreamEvents {
  return async function* () {
    for (let n = 1n; n <= 3n; n += 1n) {
      const place = { sequenceNumber: n, hash: `h${n}`, previousHash: `h${n - 1n}` };
      const text = Buffer.from(`{"sequence_number":${n}}\n`);
      yield create(StreamEventsResponseSchema, { text, count: 1, first: place, last: place });
    }
    await end();
  };
}

function work(streamEvents: StreamEvents, options: Partial<WorkerDeps> = {}) {
  const notified: bigint[] = [];
  const worker = new ExportWorker({
    clock,
    database: pool,
    ledger: { streamEvents },
    log: pino({ level: "silent" }),
    metrics: createMetrics(createRegistry("test")),
    notices: { notify: ({ position }) => void notified.push(position) },
    storage: directoryStorage(directory),
    concurrency: 1,
    leaseMs: LEASE_MS,
    pollIntervalMs: 20,
    maxAttempts: 3,
    ...options,
  });
  workers.push(worker);
  return { worker, notified };
}

async function queue(accountId = ACCOUNT): Promise<string> {
  jobs += 1;
  const id = `exp_${jobs}`;
  await database.query(
    `INSERT INTO exports.jobs (account_id, id, format, include_proofs, filter_json, filter, head_sequence, head_hash, created_at)
     VALUES ($1, $2, 'jsonl', false, '{}', $3, 3, 'h3', $4)`,
    [
      accountId,
      id,
      toBinary(EventFilterSchema, create(EventFilterSchema, { beforeSequence: 4n })),
      clock.nowText(),
    ],
  );
  return id;
}

async function job(id: string) {
  const [row] = await database.query("SELECT * FROM exports.jobs WHERE id = $1", [id]);
  return row as Record<string, unknown>;
}

const reached = (id: string, status: string) =>
  eventually(`${id} is ${status}`, async () => (await job(id))["status"] === status);

const outbox = () => database.query("SELECT position, data FROM exports.outbox ORDER BY position");
const filesOf = async (id: string) =>
  (await readdir(join(directory, ACCOUNT)).catch(() => [])).filter((name) =>
    name.startsWith(`${id}.`),
  );

/** A promise that the test settles. */
const gate = () => Promise.withResolvers<void>();

test("a job is written, completed and told of, once, with any number of workers", async () => {
  const told = [work(ledger()), work(ledger()), work(ledger())];
  const ids = await Promise.all(Array.from({ length: 10 }, () => queue()));
  for (const id of ids) await reached(id, "completed");
  const entries = await outbox();
  expect(entries.map(({ position }) => Number(position))).toEqual(ids.map((_, at) => at + 1));
  expect(new Set(entries.map(({ data }) => JSON.parse(data).id))).toEqual(new Set(ids));
  expect(told.flatMap(({ notified }) => notified)).toHaveLength(ids.length);
  for (const id of ids) expect(await filesOf(id)).toEqual([`${id}.1.jsonl`]);
});

test("the lease is kept for as long as the work takes", async () => {
  const held = gate();
  const id = await queue();
  work(ledger(() => held.promise));
  await reached(id, "running");
  const other = work(ledger());
  const [first] = await database.query("SELECT due_at FROM exports.jobs WHERE id = $1", [id]);
  await eventually("two leases' time has passed", async () => {
    const [row] = await database.query(
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

test("who lost the lease completes nothing and leaves the file of who has it", async () => {
  const held = gate();
  const id = await queue();
  // With so long a lease it does not look: nothing but the token in the statements can stop it.
  const slow = work(
    ledger(() => held.promise),
    { leaseMs: 60_000 },
  );
  await reached(id, "running");
  // As if the first had stood still for the time of its lease.
  await database.query(
    "UPDATE exports.jobs SET due_at = now() - interval '1 hour', lease_token = lease_token + 1 WHERE id = $1",
    [id],
  );
  // This one does not clear away what the first has begun, so that the first can bring its file to an end.
  const storage = { ...directoryStorage(directory), keepOnly: async () => {} };
  const other = work(ledger(), { storage });
  await reached(id, "completed");
  held.resolve();
  await slow.worker.close();
  expect(await filesOf(id)).toEqual([`${id}.3.jsonl`]);
  expect(await outbox()).toHaveLength(1);
  expect([slow.notified, other.notified]).toEqual([[], [1n]]);
});

test("what fails is tried again after a pause, and fails for good after its attempts", async () => {
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
  const [pause] = await database.query(
    "SELECT due_at > now() AS waits FROM exports.jobs WHERE id = $1",
    [id],
  );
  expect(pause).toEqual({ waits: true });
  await reached(id, "failed");
  expect(attempts).toBe(2);
  expect(await filesOf(id)).toEqual([]);
  expect(await outbox()).toEqual([]);
});

test("a job whose workers died each time fails for good", async () => {
  const id = await queue();
  await database.query(
    "UPDATE exports.jobs SET status = 'running', attempts = 3, due_at = now() WHERE id = $1",
    [id],
  );
  work(ledger());
  await reached(id, "failed");
  expect(await outbox()).toEqual([]);
});

test("a stream that breaks goes on after the last event that came", async () => {
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

test("a stop gives the job back at once and counts no attempt", async () => {
  const id = await queue();
  const endless: StreamEvents = (request, options) => {
    const stopped = gate();
    options?.signal?.addEventListener("abort", () => stopped.reject(options.signal?.reason));
    return ledger(() => stopped.promise)(request, options);
  };
  const { worker } = work(endless);
  await reached(id, "running");
  await worker.close();
  expect(await job(id)).toMatchObject({ status: "pending", attempts: 0 });
  expect(await filesOf(id)).toEqual([]);
});

test("an account with many exports does not keep others waiting", async () => {
  const held = gate();
  const first = await queue();
  await queue();
  await queue();
  const other = await queue("acct_2");
  let begun = 0;
  work(
    ledger(() => (begun++ === 0 ? held.promise : undefined)),
    { concurrency: 1 },
  );
  await reached(first, "running");
  work(ledger(() => held.promise));
  await reached(other, "running");
  const [waiting] = await database.query(
    "SELECT count(*) FROM exports.jobs WHERE status = 'pending'",
  );
  expect(waiting).toEqual({ count: "2" });
  held.resolve();
});
