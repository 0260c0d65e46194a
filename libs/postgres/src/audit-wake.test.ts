// Guarantees: a commit that added an audit entry wakes the hand-over, which is otherwise at rest for longer.
// A transaction that was rolled back does not. What another process added is found without a wake. A service
// that ends waits for no ledger that does not answer.

import { createLog } from "@annals/chassis";
import { createMigratedDatabase, eventually, PATIENT, type TestDatabase } from "@annals/testing";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { startAuditHandOver } from "./audit-hand-over.ts";
import { auditOutbox, type StoredAuditEntry } from "./audit-outbox.ts";
import { createPool, type Pool } from "./pool.ts";

const NOW = "2026-05-10T12:30:00.000000Z";
const clock = { nowText: () => NOW, nowMicros: () => Date.parse(NOW) * 1_000 };
const log = createLog({ service: "test", level: "error" });
const [failures, lag] = [{ inc: () => {} }, { set: () => {} }];

/** Less than the time between two sweeps. */
const WOKEN_WITHIN_MS = 10_000;

let owner: TestDatabase;
let database: Pool;

beforeEach(async () => {
  owner = await createMigratedDatabase(inject("stack").databaseUrl);
  const role = "annals_keys";
  const options = { role, applicationName: "test", maxConnections: 3, ...PATIENT, log };
  database = createPool({ connectionString: owner.url, ...options });
});
afterEach(async () => {
  await database.close();
  await owner.drop();
});

const change = (outbox: ReturnType<typeof auditOutbox<"keys">>, id: string, then = () => {}) =>
  database.transaction(async (transaction) => {
    await outbox.add(transaction, {
      accountId: "acct_1",
      action: "annals.key.created",
      actor: { type: "operator" },
      target: { type: "api_key", id },
      occurredAt: NOW,
    });
    then();
  });

test("a commit wakes, with the entry visible; a rollback does not", async () => {
  const outbox = auditOutbox("keys");
  const seen: Promise<object[]>[] = [];
  outbox.listeners.add(() => void seen.push(owner.query("SELECT 1 FROM keys.audit_outbox")));
  const failed = change(outbox, "a", () => {
    throw new Error("the change failed");
  });
  await expect(failed).rejects.toThrow("the change failed");
  expect(seen).toEqual([]);
  await change(outbox, "b");
  expect(await Promise.all(seen)).toEqual([[expect.anything()]]);
});

test("the hand-over begins with what others added, and is woken by each commit until it is stopped", async () => {
  const [outbox, other] = [auditOutbox("keys"), auditOutbox("keys")];
  await change(other, "other");
  const sent: string[] = [];
  const send = async (entries: readonly StoredAuditEntry[]) => {
    sent.push(...entries.map(({ event }) => JSON.parse(event).target.id));
    return entries.map(({ id }) => id);
  };
  const handOver = startAuditHandOver(outbox, { clock, database, failures, lag, log, send });
  const isEmpty = async () => (await owner.query("SELECT 1 FROM keys.audit_outbox")).length === 0;
  try {
    await eventually("it begins", isEmpty, WOKEN_WITHIN_MS);
    for (const id of ["a", "b"]) {
      await change(outbox, id);
      await eventually(`${id} is handed over`, isEmpty, WOKEN_WITHIN_MS);
    }
    expect(sent).toEqual(["other", "a", "b"]);
  } finally {
    await handOver.stop();
  }
  await change(outbox, "c");
  expect(outbox.listeners.size).toBe(0);
  expect(sent).toHaveLength(3);
});

test("a stop ends a hand-over that gets no answer, and the entry stays", async () => {
  const outbox = auditOutbox("keys");
  const asked = Promise.withResolvers<void>();
  const send = (_: readonly StoredAuditEntry[], signal: AbortSignal) => {
    asked.resolve();
    return new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  };
  await change(outbox, "a");
  const handOver = startAuditHandOver(outbox, { clock, database, failures, lag, log, send });
  await asked.promise;
  await handOver.stop();
  expect(await owner.query("SELECT 1 FROM keys.audit_outbox")).toHaveLength(1);
});
