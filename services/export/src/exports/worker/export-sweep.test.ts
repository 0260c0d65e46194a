// Guarantees: an export that is deleted, or older than the retention, leaves no file and no row, in every
// status, whichever replica stops half-way; one that is being written is cancelled and is never completed; a
// file that cannot be deleted keeps its row, and no other export. With a real PostgreSQL, a real directory
// and a controlled clock.

import { type DatabaseClock, formatMicros } from "@annals/contract";
import { asDatabaseClock, eventually } from "@annals/testing";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { directoryStorage } from "../../storage/directory-storage.ts";
import { deleteExport } from "../store/delete-export.ts";
import { ACCOUNT, gate, ledger, TestExports } from "../../testing/test-exports.ts";
import { sweepExports, type SweepDeps } from "./export-sweep.ts";

const { databaseUrl } = inject("stack");
const RETENTION_DAYS = 30;
const MICROS_PER_DAY = 86_400_000_000;
const CREATED = Date.UTC(2026, 0, 1) * 1000;
let exports: TestExports;

beforeAll(async () => {
  exports = await TestExports.open(databaseUrl);
});
afterEach(() => exports.reset());
afterAll(() => exports.close());

/** Days after {@link CREATED}. */
function clockAt(days: number): DatabaseClock {
  const nowMicros = () => CREATED + days * MICROS_PER_DAY;
  return asDatabaseClock({ nowMicros, nowText: () => formatMicros(nowMicros()) });
}

function sweepAt(days: number, options: Partial<SweepDeps> = {}) {
  const removed: string[] = [];
  const swept = sweepExports({
    clock: clockAt(days),
    database: exports.pool,
    storage: directoryStorage(exports.directory),
    swept: { inc: () => void removed.push("") },
    retentionDays: RETENTION_DAYS,
    ...options,
  });
  return swept.then(() => removed.length);
}

const queueOld = () => exports.queue(ACCOUNT, formatMicros(CREATED));
const markDeleted = (id: string) =>
  exports.pool.run(deleteExport, [ACCOUNT, id, clockAt(0).nowText(), null]);

async function completed(): Promise<string> {
  const id = await queueOld();
  const { worker } = exports.work(ledger());
  await exports.reached(id, "completed");
  await worker.stop();
  // Its lease has not ended by the clock of the database.
  await exports.database.query("UPDATE exports.jobs SET due_at = now() WHERE id = $1", [id]);
  return id;
}

test("an export ends after its retention, and not before", async () => {
  const id = await completed();
  expect(await sweepAt(29.9)).toBe(0);
  expect(await exports.filesOf(id)).toHaveLength(1);
  expect(await sweepAt(30.1)).toBe(1);
  expect(await exports.filesOf(id)).toEqual([]);
  expect(await exports.job(id)).toBeUndefined();
  const entries = await exports.database.query(
    "SELECT event::json ->> 'action' AS action, event::json -> 'actor' AS actor FROM exports.audit_outbox",
  );
  const actor = { type: "service", id: "export" };
  expect(entries).toEqual([{ action: "annals.export.deleted", actor }]);
});

test("with a retention of 0 exports never end", async () => {
  const id = await completed();
  expect(await sweepAt(36_500, { retentionDays: 0 })).toBe(0);
  expect(await exports.filesOf(id)).toHaveLength(1);
});

test("failed and abandoned ones end with the files that they left", async () => {
  const [failed, abandoned] = [await queueOld(), await queueOld()];
  await exports.database.query("UPDATE exports.jobs SET status = 'failed' WHERE id = $1", [failed]);
  await exports.database.query(
    "UPDATE exports.jobs SET status = 'running', attempts = 1 WHERE id = $1",
    [abandoned],
  );
  await mkdir(join(exports.directory, ACCOUNT), { recursive: true });
  for (const name of [`${failed}.1.jsonl`, `${abandoned}.1.jsonl.part`])
    await writeFile(join(exports.directory, ACCOUNT, name), "left");
  expect(await sweepAt(31)).toBe(2);
  expect([...(await exports.filesOf(failed)), ...(await exports.filesOf(abandoned))]).toEqual([]);
});

test("more than one statement takes, by several replicas at once", async () => {
  const ids = await Promise.all(Array.from({ length: 250 }, queueOld));
  const counts = await Promise.all([sweepAt(31), sweepAt(31), sweepAt(31)]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ids.length);
  expect(await exports.database.query("SELECT id FROM exports.jobs")).toEqual([]);
});

test("an export that is deleted while it is written is cancelled and leaves nothing", async () => {
  const held = gate();
  const id = await queueOld();
  const { notified } = exports.work((request, options) => {
    options?.signal?.addEventListener("abort", () => held.reject(options.signal?.reason));
    return ledger(() => held.promise)(request, options);
  });
  await eventually(
    "it is written",
    async () => Number((await exports.job(id))["reserved_bytes"]) > 0,
  );
  await markDeleted(id);
  expect(await sweepAt(0)).toBe(0);
  await expect(held.promise).rejects.toThrow(/deleted/);
  await eventually("its lease has ended and it is removed", async () => (await sweepAt(0)) === 1);
  expect(await exports.filesOf(id)).toEqual([]);
  expect([await exports.outbox(), notified]).toEqual([[], []]);
});

test("a worker that finishes after the deletion completes nothing and deletes its own file", async () => {
  const held = gate();
  const id = await queueOld();
  // The lease is too long to be renewed: only the token in the statements can stop it.
  const { worker } = exports.work(
    ledger(() => held.promise),
    { leaseMs: 60_000 },
  );
  await exports.reached(id, "running");
  await markDeleted(id);
  held.resolve();
  await worker.stop();
  expect(await exports.filesOf(id)).toEqual([]);
  expect(await exports.outbox()).toEqual([]);
});

test("a file that cannot be deleted keeps its row, and no other", async () => {
  const [stuck, other] = [await completed(), await completed()];
  const storage = directoryStorage(exports.directory);
  const keepOnly: typeof storage.keepOnly = async (stem, kept) => {
    if (stem.includes(`/${stuck}.`)) throw new Error("refused");
    await storage.keepOnly(stem, kept);
  };
  await expect(sweepAt(31, { storage: { keepOnly } })).rejects.toThrow("refused");
  expect(await exports.job(other)).toBeUndefined();
  expect(await exports.filesOf(stuck)).toHaveLength(1);
  expect(await sweepAt(31)).toBe(1);
  expect(await exports.filesOf(stuck)).toEqual([]);
});

test("an export that cannot be marked keeps no other", async () => {
  const [stuck, ...others] = await Promise.all(
    Array.from({ length: 101 }, (_, n) => exports.queue(`acct_${100 + n}`, formatMicros(CREATED))),
  );
  const { pool } = exports;
  const database: typeof pool = {
    ...pool,
    transaction: (work, bytesOf) =>
      pool.transaction(
        (transaction) =>
          work({
            run: (statement, params) =>
              params[0] === "acct_100"
                ? Promise.reject(new Error("a server is away"))
                : transaction.run(statement, params),
          }),
        bytesOf,
      ),
  };
  await expect(sweepAt(31, { database })).rejects.toThrow("away");
  const left = await exports.database.query("SELECT id FROM exports.jobs");
  expect(left).toEqual([{ id: stuck }]);
  expect(others).toHaveLength(100);
});

test("the service may delete an export, but not change what it was asked for", async () => {
  const id = await queueOld();
  const change = {
    name: "test.change",
    text: "UPDATE exports.jobs SET filter_json = ''",
    route: "local",
    customPlan: true,
  } as const;
  await expect(exports.pool.run(change, [])).rejects.toMatchObject({ code: "42501" });
  expect(await exports.job(id)).toMatchObject({ filter_json: "{}" });
});
