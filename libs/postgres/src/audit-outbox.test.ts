// Guarantees: an audit entry is there if and only if its change is. What waits is handed over in its order
// and deleted only after it was stored; an entry that is not stored keeps no other. How long the oldest has
// waited is reported.

import { createLog } from "@annals/chassis";
import { createMigratedDatabase, type TestDatabase } from "@annals/testing";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { auditOutbox, handOver, type StoredAuditEntry } from "./audit-outbox.ts";
import { createPool, type Pool } from "./pool.ts";

const OUTBOX = auditOutbox("keys");
const log = createLog({ service: "test", level: "error" });
const { signal } = new AbortController();

let owner: TestDatabase;
let database: Pool;
let lags: number[];

beforeEach(async () => {
  owner = await createMigratedDatabase(inject("stack").databaseUrl);
  database = createPool({
    connectionString: owner.url,
    role: "annals_keys",
    applicationName: "test",
    maxConnections: 2,
    statementTimeoutMs: 5_000,
    log,
  });
  lags = [];
});
afterEach(async () => {
  await database.close();
  await owner.drop();
});

const add = (name: string, to: Parameters<typeof OUTBOX.add>[0] = database) =>
  OUTBOX.add(to, {
    accountId: `acct_${name}`,
    action: "annals.key.created",
    actor: { type: "operator" },
    target: { type: "api_key", id: name },
    occurredAt: "2026-05-10T11:59:59.000000Z",
  });

const waiting = () => owner.query("SELECT id FROM keys.audit_outbox ORDER BY number");

const handOverTo = (send: (entries: readonly StoredAuditEntry[]) => Promise<readonly string[]>) =>
  handOver(
    OUTBOX,
    { database, lag: { set: (value) => void lags.push(Number(value)) }, send },
    signal,
  );

const idsOf = (entries: readonly StoredAuditEntry[]) => entries.map(({ id }) => id);
const nameOf = ({ event }: StoredAuditEntry): string => JSON.parse(event).target.id;

test("an entry of a transaction that is rolled back is not there", async () => {
  const failed = database.transaction(async (transaction) => {
    await add("a", transaction);
    throw new Error("the change failed");
  });
  await expect(failed).rejects.toThrow("the change failed");
  expect(await waiting()).toEqual([]);
});

test("what waits is handed over in its order, in pages, and is then gone", async () => {
  const names = Array.from({ length: 250 }, (_, index) => `n${index}`);
  for (const name of names) await add(name);
  const sent: string[][] = [];
  await handOverTo(async (entries) => {
    sent.push(entries.map(nameOf));
    return idsOf(entries);
  });
  expect(sent.flat()).toEqual(names);
  expect(sent.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(await waiting()).toEqual([]);
  expect(lags).toEqual([expect.any(Number), 0]);
});

test("what the ledger did not answer stays and is sent again under the same ids", async () => {
  await add("a");
  await owner.query("UPDATE keys.audit_outbox SET created_at = created_at - interval '1 hour'");
  let first: readonly string[] = [];
  const lost = handOverTo((entries) => {
    first = idsOf(entries);
    return Promise.reject(new Error("the answer was lost"));
  });
  await expect(lost).rejects.toThrow("the answer was lost");
  expect(lags.at(-1)).toBeGreaterThan(3_599);
  let second: readonly string[] = [];
  await handOverTo(async (entries) => (second = idsOf(entries)));
  expect(second).toEqual(first);
  expect(await waiting()).toEqual([]);
});

test("an entry that is not stored stays, and those after it are handed over", async () => {
  for (const name of ["a", "b", "c"]) await add(name);
  const refused = handOverTo(async (entries) =>
    idsOf(entries.filter((entry) => nameOf(entry) !== "b")),
  );
  await expect(refused).rejects.toThrow("has not stored 1 audit entries");
  expect(await waiting()).toHaveLength(1);
  const left: string[] = [];
  await handOverTo(async (entries) => {
    left.push(...entries.map(nameOf));
    return idsOf(entries);
  });
  expect(left).toEqual(["b"]);
});
