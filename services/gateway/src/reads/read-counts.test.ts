// Guarantees: reads are counted by key, route and minute, with the first and the last address; each row is
// returned once, when its minute is over or all are asked for; rows are bounded for an account and in all,
// and every read beyond a bound is counted in a row that says so.

import { expect, test } from "vitest";
import { MAX_ROWS, type Read, ReadCounts } from "./read-counts.ts";

const clock = { now: "", nowText: () => clock.now };
const at = (time: string) => (clock.now = `2026-01-31T${time}Z`);

const READ: Read = {
  accountId: "acct_1",
  keyId: "key_1",
  reader: "api_key",
  route: "/v1/events",
  ip: "192.0.2.1",
  isFailed: false,
};

function opened() {
  at("09:30:00.000000");
  const counts = new ReadCounts(clock);
  const record = (read: Partial<Read> = {}, times = 1) => {
    for (let n = 0; n < times; n += 1) counts.record({ ...READ, ...read });
  };
  return { counts, record };
}

test("by key, route and minute", () => {
  const { counts, record } = opened();
  record();
  at("09:30:20.000000");
  record({ ip: "::1", isFailed: true });
  record({ route: "/v1/verify" });
  record({ keyId: "key_2" });
  at("09:30:59.999999");
  record({ ip: "192.0.2.3" });
  expect(counts.take({ all: false })).toEqual([]);
  at("09:31:00.000000");
  record();
  const rows = counts.take({ all: false });
  expect(rows).toEqual([
    {
      kind: "key",
      accountId: "acct_1",
      keyId: "key_1",
      reader: "api_key",
      route: "/v1/events",
      minute: "2026-01-31T09:30Z",
      reads: 3,
      failed: 1,
      since: "2026-01-31T09:30:00.000000Z",
      until: "2026-01-31T09:30:59.999999Z",
      firstIp: "192.0.2.1",
      lastIp: "192.0.2.3",
    },
    expect.objectContaining({ keyId: "key_1", route: "/v1/verify", reads: 1 }),
    expect.objectContaining({ keyId: "key_2", route: "/v1/events", reads: 1 }),
  ]);
  expect(counts.take({ all: false })).toEqual([]);
  expect(counts.take({ all: true })).toMatchObject([{ minute: "2026-01-31T09:31Z", reads: 1 }]);
  expect(counts.take({ all: true })).toEqual([]);
});

test("of an account 20 rows, and one of what is beyond", () => {
  const { counts, record } = opened();
  for (let n = 0; n < 25; n += 1) record({ keyId: `key_${n}`, isFailed: n === 24 });
  record({ keyId: "key_0" });
  record({ accountId: "acct_2", keyId: "key_x" });
  const rows = counts.take({ all: true });
  const ofKeys = rows.filter(({ accountId, kind }) => kind === "key" && accountId === "acct_1");
  expect(ofKeys).toHaveLength(20);
  expect(ofKeys[0]).toMatchObject({ keyId: "key_0", reads: 2 });
  expect(rows.filter(({ kind }) => kind === "further")).toMatchObject([
    { accountId: "acct_1", reads: 5, failed: 1 },
  ]);
  expect(rows.filter(({ accountId }) => accountId === "acct_2")).toHaveLength(1);
});

test("1,000 rows in all, and one of the accounts that have none", () => {
  const { counts, record } = opened();
  const accounts = MAX_ROWS + 100;
  for (let n = 0; n < accounts; n += 1) record({ accountId: `acct_${n}`, keyId: `key_${n}` }, 2);
  record({ accountId: "acct_0", keyId: "key_0b" });
  const rows = counts.take({ all: true });
  expect(rows.filter(({ kind }) => kind === "key")).toHaveLength(MAX_ROWS);
  expect(rows.filter(({ kind }) => kind === "further")).toMatchObject([
    { accountId: "acct_system", reads: 200 },
    { accountId: "acct_0", reads: 1 },
  ]);
  expect(rows.reduce((sum, { reads }) => sum + reads, 0)).toBe(2 * accounts + 1);
  record();
  expect(counts.take({ all: true })).toMatchObject([{ kind: "key", reads: 1 }]);
});
