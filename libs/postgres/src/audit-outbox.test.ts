// Guarantees: an audit entry is there if and only if its change is. Beyond so many a minute of an account
// and an action a change is counted, and the count becomes an entry, whichever replica makes it; nothing is
// lost. No entry is longer than its bound. What waits is handed over in its order and deleted only after it
// was stored; an entry that is not stored keeps no other. How long the oldest has waited is reported.

import { AccountRun, createLog } from "@annals/chassis";
import { createMigratedDatabase, lostServer, PATIENT, type TestDatabase } from "@annals/testing";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { handOver, recordCounted } from "./audit-hand-over.ts";
import { auditOutbox, MAX_ENTRY_BYTES, type StoredAuditEntry } from "./audit-outbox.ts";
import { MAX_ENTRIES_PER_MINUTE } from "./audit-windows.ts";
import { createPool, type Pool } from "./pool.ts";

const OUTBOX = auditOutbox("keys");
const log = createLog({ service: "test", level: "error" });
const { signal } = new AbortController();

/** Some minutes after the entries. */
const NOW = "2026-05-10T12:30:00.000000Z";
const clock = { nowText: () => NOW, nowMicros: () => Date.parse(NOW) * 1_000 };

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
    ...PATIENT,
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

const handOverTo = (
  send: (entries: readonly StoredAuditEntry[]) => Promise<readonly string[]>,
  from: Pool = database,
) =>
  handOver(
    OUTBOX,
    { clock, database: from, lag: { set: (value) => void lags.push(Number(value)) }, send },
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

test("while a server is away, entries of other accounts are handed over, in their order", async () => {
  for (const name of ["a", "b", "c", "b"]) await add(name);
  const lost = new Set(["acct_a"]);
  const run = lostServer<Pool["run"]>((...given) => database.run(...given), lost);
  const sent: string[] = [];
  const failing = handOverTo(
    async (entries) => {
      sent.push(...entries.map(nameOf));
      return idsOf(entries);
    },
    { ...database, run },
  );
  await expect(failing).rejects.toThrow("a server is away");
  expect(sent).toEqual(["b", "c", "b"]);
  expect(await waiting()).toHaveLength(1);
  // Nothing says how long the entries of the lost server have waited.
  expect(lags).toEqual([]);
});

test("what is late is handed over with the time of now, and says when it was", async () => {
  for (const name of ["late", "in time"]) await add(name);
  await owner.query(
    "UPDATE keys.audit_outbox SET created_at = created_at - interval '23 hours' WHERE account_id = 'acct_late'",
  );
  const events: object[] = [];
  await handOverTo(async (entries) => {
    events.push(...entries.map(({ event }) => JSON.parse(event)));
    return idsOf(entries);
  });
  expect(events).toMatchObject([
    { metadata: { reported_at: "2026-05-10T11:59:59.000000Z" }, occurred_at: NOW },
    { occurred_at: "2026-05-10T11:59:59.000000Z" },
  ]);
});

const TARGET = { type: "api_key", id: "key_1" };
const change = (
  accountId: string,
  action: "annals.key.created" | "annals.key.revoked",
  more: object = {},
) =>
  database.transaction((transaction) =>
    OUTBOX.add(transaction, {
      accountId,
      action,
      actor: { type: "api_key", id: "key_1" },
      target: TARGET,
      occurredAt: "2026-05-10T11:59:59.000000Z",
      ...more,
    }),
  );
const times = (count: number, work: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, work));
const stored = async () => {
  const rows = await owner.query("SELECT account_id, event FROM keys.audit_outbox ORDER BY number");
  return rows.map(({ account_id: accountId, event }) => ({ accountId, ...JSON.parse(event) }));
};
const record = (from: Pool = database) =>
  recordCounted(OUTBOX, { clock, database: from }, new AccountRun());

test("beyond so many a minute changes are counted, by action and account, and each minute anew", async () => {
  await times(MAX_ENTRIES_PER_MINUTE + 7, () => change("acct_many", "annals.key.created"));
  await change("acct_many", "annals.key.revoked");
  await times(MAX_ENTRIES_PER_MINUTE, () => change("acct_other", "annals.key.created"));
  const later = { occurredAt: "2026-05-10T12:00:00.000000Z" };
  await change("acct_many", "annals.key.created", later);
  const actor = { type: "operator" };
  await times(MAX_ENTRIES_PER_MINUTE + 3, () => change("acct_op", "annals.key.created", { actor }));
  const entries = await stored();
  const of = (accountId: string) => entries.filter((each) => each.accountId === accountId).length;
  expect(of("acct_many")).toBe(MAX_ENTRIES_PER_MINUTE + 2);
  expect(of("acct_other")).toBe(MAX_ENTRIES_PER_MINUTE);
  // The operator alone causes what the operator does.
  expect(of("acct_op")).toBe(MAX_ENTRIES_PER_MINUTE + 3);

  // Several replicas hand it over, and again: it is stored once.
  await Promise.all([record(), record(), record()]);
  await record();
  const counted = (await stored()).filter(({ action }) => action === "annals.audit.counted");
  expect(counted).toEqual([
    {
      accountId: "acct_many",
      action: "annals.audit.counted",
      actor: { type: "service", id: "keys" },
      target: { type: "account", id: "acct_many" },
      metadata: { minute: "2026-05-10T11:59Z", further: { "annals.key.created": 7 } },
      occurred_at: NOW,
    },
  ]);
  expect(await owner.query("SELECT 1 FROM keys.audit_windows")).toEqual([]);
});

test("an account whose count cannot be recorded keeps no other", async () => {
  for (const accountId of ["acct_a", "acct_b"])
    await times(MAX_ENTRIES_PER_MINUTE + 1, () => change(accountId, "annals.key.created"));
  const away: Pool["transaction"] = (work) =>
    database.transaction((transaction) =>
      work({
        run: (statement, params) =>
          params[0] === "acct_a"
            ? Promise.reject(new Error("a server is away"))
            : transaction.run(statement, params),
      }),
    );
  await expect(record({ ...database, transaction: away })).rejects.toThrow("away");
  const counted = (await stored()).filter(({ action }) => action === "annals.audit.counted");
  expect(counted).toMatchObject([{ accountId: "acct_b" }]);
});

test("a change that is rolled back is not counted, and a minute that is not over stays", async () => {
  await times(MAX_ENTRIES_PER_MINUTE, () => change("acct_a", "annals.key.created"));
  const failed = database.transaction(async (transaction) => {
    await OUTBOX.add(transaction, {
      accountId: "acct_a",
      action: "annals.key.created",
      actor: { type: "api_key", id: "key_1" },
      target: TARGET,
      occurredAt: "2026-05-10T11:59:59.000000Z",
    });
    throw new Error("the change failed");
  });
  await expect(failed).rejects.toThrow("the change failed");
  const now = { occurredAt: NOW };
  await times(MAX_ENTRIES_PER_MINUTE + 1, () => change("acct_b", "annals.key.created", now));
  await record();
  expect((await stored()).filter(({ action }) => action === "annals.audit.counted")).toEqual([]);
  const windows = await owner.query("SELECT account_id, changes FROM keys.audit_windows");
  expect(windows).toEqual([{ account_id: "acct_b", changes: String(MAX_ENTRIES_PER_MINUTE + 1) }]);
});

test("an entry at its bound is kept whole, and of a longer one a digest", async () => {
  const lengthOf = (event: object) => Buffer.byteLength(JSON.stringify(event));
  await change("acct_a", "annals.key.created", { metadata: { text: "" } });
  const [{ accountId: _, ...empty }] = (await stored()) as [{ accountId: string }];
  const room = MAX_ENTRY_BYTES - lengthOf(empty);
  await owner.query("DELETE FROM keys.audit_outbox");
  for (const length of [room, room + 1])
    await change("acct_a", "annals.key.created", { metadata: { text: "x".repeat(length) } });
  expect(await stored()).toMatchObject([
    { metadata: { text: "x".repeat(room) } },
    { metadata: { left_out_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }, target: TARGET },
  ]);
});
