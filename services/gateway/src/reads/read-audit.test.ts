// Guarantees: the entries of a minute are handed over when it is over, and the rest when the gateway
// stops; what the ledger has not stored is sent again under the same ids, with memory that is bounded;
// every read that is dropped is counted. A gateway that stops waits for no earlier call. No entry has a
// query, or the address of a person behind a widget.

import { Closers, createLog } from "@annals/chassis";
import { type AuditEntry, RecordAuditEventsResponseSchema } from "@annals/proto/ledger";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test, vi } from "vitest";
import { MAX_WAITING, openReadAudit, ReadAudit } from "./read-audit.ts";
import { MAX_ROWS, type Read } from "./read-counts.ts";

const READ: Read = {
  accountId: "acct_1",
  keyId: "key_1",
  reader: "api_key",
  route: "/v1/events/:id",
  ip: "192.0.2.1",
  isFailed: false,
};

type Entry = Pick<AuditEntry, "accountId" | "event" | "id">;

function opened() {
  const start = Date.UTC(2026, 0, 31, 9, 30);
  const state = {
    lost: 0,
    ids: 0,
    nowMs: start,
    isAway: false,
    isHanging: false,
    refuses: (entry: Entry) => entry.id === "",
  };
  const calls: Entry[][] = [];
  const timeouts: (number | undefined)[] = [];
  const stored = new Map<string, Entry>();
  const deps: ConstructorParameters<typeof ReadAudit>[0] = {
    clock: {
      nowMicros: () => state.nowMs * 1_000,
      nowText: () => new Date(state.nowMs).toISOString().replace("Z", "000Z"),
    },
    ledger: {
      recordAuditEvents: async ({ entries = [] }, options) => {
        const given = entries as Entry[];
        calls.push(given);
        timeouts.push(options?.timeoutMs);
        if (state.isAway) throw new Error("away");
        if (state.isHanging) await new Promise(() => {});
        const taken = given.filter((entry) => !state.refuses(entry));
        for (const entry of taken) stored.set(entry.id, entry);
        const storedIds = taken.map(({ id }) => id);
        const response: MessageInitShape<typeof RecordAuditEventsResponseSchema> = { storedIds };
        return create(RecordAuditEventsResponseSchema, response);
      },
    },
    log: { error: () => {} } as never,
    lost: { inc: (reads?: unknown) => void (state.lost += Number(reads)) },
    newEntryId: () => `entry_${(state.ids += 1)}`,
  };
  const audit = new ReadAudit(deps);
  const record = (read: Partial<Read> = {}) => audit.record({ ...READ, ...read });
  const minutes = (count: number) => (state.nowMs += count * 60_000);
  return { audit, calls, deps, minutes, record, state, stored, timeouts };
}

const events = (stored: ReadonlyMap<string, Entry>) =>
  [...stored.values()].map(({ event }) => JSON.parse(event));

test("an entry says who read what, how often, when and from where", async () => {
  const { audit, calls, minutes, record, stored } = opened();
  record();
  record({ ip: "2001:db8::1", isFailed: true });
  record({ keyId: "wtok_1", reader: "widget_token", route: "/v1/widget/events" });
  await audit.handOver({ all: false });
  expect(calls).toEqual([]);
  minutes(1);
  await audit.handOver({ all: false });
  const metadata = {
    minute: "2026-01-31T09:30Z",
    reads: 2,
    failed: 1,
    since: "2026-01-31T09:30:00.000000Z",
  };
  const target = { type: "account", id: "acct_1" };
  const shared = { action: "annals.account.read", occurred_at: metadata.since, target };
  expect(events(stored)).toEqual([
    {
      ...shared,
      actor: { type: "api_key", id: "key_1" },
      metadata: {
        ...metadata,
        route: "/v1/events/:id",
        first_ip: "192.0.2.1",
        last_ip: "2001:db8::1",
      },
    },
    {
      ...shared,
      actor: { type: "widget_token", id: "wtok_1" },
      metadata: { ...metadata, route: "/v1/widget/events", reads: 1, failed: 0 },
    },
  ]);
  expect([...stored.values()].map(({ accountId }) => accountId)).toEqual(["acct_1", "acct_1"]);
  await audit.handOver({ all: false });
  expect(calls).toHaveLength(1);
});

test("a person is one in each account, and no address of one is recorded", async () => {
  const { audit, record, stored } = opened();
  const person = { keyId: "usr_1", reader: "person" } as const;
  record(person);
  record({ ...person, accountId: "acct_2" });
  record({ keyId: "wkl_1", reader: "workload" });
  await audit.close();
  const read = events(stored).map(({ actor, metadata, target }) => [
    target.id,
    actor,
    metadata.reads,
    metadata.first_ip,
  ]);
  expect(read).toEqual([
    ["acct_1", { type: "person", id: "usr_1" }, 1, undefined],
    ["acct_2", { type: "person", id: "usr_1" }, 1, undefined],
    ["acct_1", { type: "workload", id: "wkl_1" }, 1, "192.0.2.1"],
  ]);
});

test("what finds no room is an entry of the gateway itself", async () => {
  const { audit, record, stored } = opened();
  for (let n = 0; n < 22; n += 1) record({ keyId: `key_${n}` });
  await audit.close();
  expect(events(stored).at(-1)).toMatchObject({
    actor: { type: "service", id: "gateway" },
    target: { type: "account", id: "acct_1" },
    metadata: { reads: 2, is_further: true },
  });
  expect(JSON.stringify(events(stored).at(-1))).not.toContain("192.0.2.1");
});

test("while the ledger is away entries wait, and are then stored under the ids of the first attempt", async () => {
  const { audit, calls, minutes, record, state, stored } = opened();
  for (let n = 0; n < 150; n += 1) record({ accountId: `acct_${n}`, keyId: `key_${n}` });
  minutes(1);
  state.isAway = true;
  for (let n = 0; n < 3; n += 1)
    await expect(audit.handOver({ all: false })).rejects.toThrow("away");
  state.isAway = false;
  await audit.handOver({ all: false });
  expect(calls.map((entries) => entries.length)).toEqual([100, 100, 100, 100, 50]);
  expect(calls[3]).toEqual(calls[0]);
  expect([stored.size, state.ids, state.lost]).toEqual([150, 150, 0]);
  await audit.handOver({ all: false });
  expect(calls).toHaveLength(5);
});

test("what the ledger does not store is sent again, and keeps no other", async () => {
  const { audit, calls, minutes, record, state, stored } = opened();
  state.refuses = ({ accountId }) => accountId === "acct_7";
  for (let n = 0; n < 10; n += 1) record({ accountId: `acct_${n}`, keyId: `key_${n}` });
  minutes(1);
  await expect(audit.handOver({ all: false })).rejects.toThrow("has not stored 1 entries");
  expect(stored.size).toBe(9);
  record();
  minutes(1);
  await expect(audit.handOver({ all: false })).rejects.toThrow("has not stored 1 entries");
  expect(calls[1]?.map(({ accountId }) => accountId)).toEqual(["acct_7", "acct_1"]);
  // A day later the ledger would refuse its time.
  minutes(24 * 60);
  await audit.handOver({ all: false });
  expect(state.lost).toBe(1);
});

test("at most 10,000 wait: the oldest are lost and counted", async () => {
  const { audit, minutes, record, state, stored } = opened();
  state.isAway = true;
  const perMinute = MAX_WAITING / 10;
  expect(perMinute).toBe(MAX_ROWS);
  for (let minute = 0; minute < 12; minute += 1) {
    for (let n = 0; n < perMinute; n += 1)
      for (let read = 0; read < 3; read += 1)
        record({ accountId: `acct_${n}`, keyId: `key_${minute}_${n}` });
    minutes(1);
    await expect(audit.handOver({ all: false })).rejects.toThrow("away");
  }
  expect(state.lost).toBe(2 * perMinute * 3);
  state.isAway = false;
  await audit.handOver({ all: false });
  expect(stored.size).toBe(MAX_WAITING);
  expect(events(stored)[0].actor.id).toBe("key_2_0");
});

test("a gateway that stops hands over the minute that is not over, and counts what it cannot", async () => {
  const stopping = opened();
  stopping.record();
  await stopping.audit.close();
  expect(events(stopping.stored)).toMatchObject([{ metadata: { reads: 1 } }]);
  expect(stopping.timeouts).toEqual([3_000]);
  const away = opened();
  away.state.isAway = true;
  for (let n = 0; n < 5; n += 1) away.record();
  await expect(away.audit.close()).rejects.toThrow("away");
  expect(away.state.lost).toBe(5);
});

test("a gateway that stops leaves a call that gets no answer, and sends its entries once more", async () => {
  const { audit, calls, minutes, record, state, stored } = opened();
  record();
  minutes(1);
  state.isHanging = true;
  const stopping = new AbortController();
  const left = audit.handOver({ all: false, signal: stopping.signal });
  stopping.abort();
  await expect(left).rejects.toThrow("aborted");
  state.isHanging = false;
  await audit.close();
  expect(calls[1]).toEqual(calls[0]);
  expect([stored.size, state.lost]).toEqual([1, 0]);
});

test("without reads there is no timer, and a read is handed over when its minute is over", async () => {
  vi.useFakeTimers();
  const { deps, minutes, stored } = opened();
  const closers = new Closers();
  const failures = { inc: () => {} };
  const audit = openReadAudit(
    { ...deps, failures: failures as never, readsLost: deps.lost },
    closers,
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(vi.getTimerCount()).toBe(0);
  audit.record(READ);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(stored.size).toBe(0);
  minutes(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(events(stored)).toMatchObject([{ metadata: { reads: 1 } }]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(vi.getTimerCount()).toBe(0);
  await closers.closeAll(createLog({ service: "test", level: "error" }));
  vi.useRealTimers();
});
