// Guarantee: a record and what it decides are stored together or not at all, in one order with appends from
// any ledger. A record takes nothing of the quota, is announced as any event, and leaves the cached head of
// its process usable.

import { eventually, ON_ONE_SERVER } from "@annals/testing";
import { expect, test } from "vitest";
import { retentionRecord } from "./rules/record-events.ts";
import {
  append,
  chainOf,
  moveHeadBack,
  newAccountId,
  newQueue,
} from "../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../testing/database.ts";

const DECIDED =
  "INSERT INTO ledger.holds (account_id, id, from_sequence, owner, placed_by) VALUES ($1, $2, 1, 'account', $3)";
const RECORD = retentionRecord(1);

async function openQueues() {
  const database = await newLedgerDatabase();
  const [first, second] = [newQueue(database.url), newQueue(database.url)];
  /** Appends a record with a decision that names it. */
  const record = (accountId: string, { queue } = first, id = "hold_1") =>
    queue.record(accountId, async (transaction) => ({
      record: RECORD,
      act: async (placedBy) => {
        const statement = {
          name: "test.decide",
          text: DECIDED,
          route: "local",
          customPlan: true,
        } as const;
        await transaction.run(statement, [accountId, id, placedBy]);
        return placedBy;
      },
    }));
  const decided = async (accountId: string) =>
    (
      await database.query(
        "SELECT placed_by::int AS n FROM ledger.holds WHERE account_id = $1 ORDER BY 1",
        [accountId],
      )
    ).map(({ n }) => n);
  const records = async (accountId: string) =>
    (
      await database.query(
        "SELECT sequence_number::int AS n FROM ledger.events WHERE account_id = $1 AND action = $2 ORDER BY 1",
        [accountId, RECORD.action],
      )
    ).map(({ n }) => n);
  return { database, decided, first, record, records, second };
}

test("a record is the next event of the chain, and its decision names it", async () => {
  const { database, decided, first, record, records } = await openQueues();
  const accountId = newAccountId();
  await first.queue.submit(append(accountId));
  expect(await record(accountId)).toBe(2);
  expect(await chainOf(database, accountId)).toHaveLength(2);
  expect([await decided(accountId), await records(accountId)]).toEqual([[2], [2]]);
  expect(first.notified).toEqual([1n, 2n]);
  const [lifecycle] = await database.query(
    "SELECT records_from::int AS first FROM ledger.lifecycles WHERE account_id = $1",
    [accountId],
  );
  expect(lifecycle).toEqual({ first: 1 });
  await record(accountId, first, "hold_2");
  const [still] = await database.query("SELECT records_from::int AS first FROM ledger.lifecycles");
  expect(still).toEqual({ first: 1 });
});

test("a decision that fails leaves no record, and the chain continues", async () => {
  const { database, decided, first, record } = await openQueues();
  const accountId = newAccountId();
  await first.queue.submit(append(accountId));
  await record(accountId);
  // The hold exists already.
  await expect(record(accountId)).rejects.toMatchObject({ code: "23505" });
  await first.queue.submit(append(accountId));
  expect(await chainOf(database, accountId)).toHaveLength(3);
  expect(await decided(accountId)).toEqual([2]);
  expect(first.notified).toEqual([1n, 2n, 3n]);
});

test("with nothing to record, nothing is stored", async () => {
  const { database, first } = await openQueues();
  const accountId = newAccountId();
  await first.queue.submit(append(accountId));
  const seen: number[] = [];
  const nothing = async (_: unknown, last: number) => void seen.push(last);
  expect(await first.queue.record(accountId, nothing as () => Promise<undefined>)).toBeUndefined();
  expect(seen).toEqual([1]);
  expect(await chainOf(database, accountId)).toHaveLength(1);
  expect(await database.query("SELECT FROM ledger.lifecycles")).toEqual([]);
});

test("a record takes nothing of the month's quota", async () => {
  const { first, record } = await openQueues();
  const accountId = newAccountId();
  const submit = () => first.queue.submit(append(accountId, { monthlyQuota: 2 }));
  await submit();
  await record(accountId);
  await submit();
  await expect(submit()).rejects.toMatchObject({ kind: "plan_quota_exceeded" });
});

test("the next append of the process goes on at the head of the record", async () => {
  const { first, record, second } = await openQueues();
  const accountId = newAccountId();
  await first.queue.submit(append(accountId));
  await record(accountId);
  const locks = await first.ran("ledger.lock-head");
  await first.queue.submit(append(accountId));
  expect(await first.ran("ledger.lock-head")).toBe(locks);
  // A record of another process is found as any append of another process is.
  await record(accountId, second, "hold_2");
  await first.queue.submit(append(accountId));
  expect(await first.ran("ledger.lock-head")).toBe(locks + 1);
});

test("records and appends of two ledgers make one chain, and each record has its decision", async () => {
  const { database, decided, first, record, records, second } = await openQueues();
  const accountId = newAccountId();
  const work = Array.from({ length: 60 }, (_, index) => {
    const replica = index % 2 === 0 ? first : second;
    return index % 3 === 0
      ? record(accountId, replica, `hold_${index}`)
      : replica.queue.submit(append(accountId));
  });
  await Promise.all(work);
  expect(await chainOf(database, accountId)).toHaveLength(60);
  const of = await records(accountId);
  expect(of).toHaveLength(20);
  expect(await decided(accountId)).toEqual(of);
});

test("a chain that does not end at its head gets no record, and raises the alert", async () => {
  const { database, decided, first, record } = await openQueues();
  const accountId = newAccountId();
  await first.queue.submit(append(accountId));
  await first.queue.submit(append(accountId));
  await moveHeadBack(database, accountId, 1);
  await expect(record(accountId)).rejects.toMatchObject({ kind: "internal" });
  expect(await first.brokenChains()).toBe(1);
  expect(await decided(accountId)).toEqual([]);
});

test.runIf(ON_ONE_SERVER)(
  "appends wait for a record that is being decided, and follow it",
  async () => {
    const { database, first, second } = await openQueues();
    const accountId = newAccountId();
    await first.queue.submit(append(accountId));
    let waiting: Promise<unknown> | undefined;
    await first.queue.record(accountId, async () => ({
      record: RECORD,
      act: async () => {
        waiting = second.queue.submit(append(accountId));
        await eventually("the append waits", async () => {
          const locked = "datname = current_database() AND wait_event_type = 'Lock'";
          return (
            (await database.query(`SELECT FROM pg_stat_activity WHERE ${locked}`)).length === 1
          );
        });
      },
    }));
    await expect(waiting).resolves.toMatchObject({ firstSequence: 3 });
  },
);
