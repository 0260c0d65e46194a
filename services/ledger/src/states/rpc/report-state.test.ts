// Guarantee: the state of an account has how far its chain and its verification reach, and which erasures
// have not ended; without accounts, those that have waited longest are reported. An account without a chain
// has no state, and more than 100 are refused.

import { expect, test } from "vitest";
import { newLedgerDatabase } from "../../testing/database.ts";
import { appendOf, openLedger } from "../../testing/test-ledger.ts";

async function begin() {
  const database = await newLedgerDatabase();
  const { client } = openLedger(database);
  await client.createEvents({ appends: [appendOf("acct_1", 3), appendOf("acct_2", 1)] });
  const verification = (accountId: string, due: string) =>
    database.query(
      `INSERT INTO ledger.verifications (account_id, sequence_number, hash, verified_at, due_at)
       VALUES ($1, 2, 'h', '2026-01-31T09:30:00Z', now() + $2::interval)`,
      [accountId, due],
    );
  const erasure = (accountId: string, id: string, begins: string, status = "pending") =>
    database.query(
      `INSERT INTO ledger.erasures (account_id, id, selector, parts, actor, up_to_sequence, status, due_at, begins_at, created_at)
       VALUES ($1, $2, '{}', 1, '{}', 1, $4, now(), now() + $3::interval, 't')`,
      [accountId, id, begins, status],
    );
  const report = async (...accountIds: string[]) =>
    (await client.reportState({ accountIds })).states;
  return { erasure, report, verification };
}

test("says how far chain and verification reach, and what has not been erased", async () => {
  const { erasure, report, verification } = await begin();
  await verification("acct_1", "1 hour");
  await erasure("acct_1", "era_1", "-1 hour");
  await erasure("acct_1", "era_2", "1 hour");
  await erasure("acct_1", "era_3", "-2 hours", "completed");
  const states = await report("acct_1", "acct_2", "acct_none");
  expect(states.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1))).toMatchObject([
    {
      accountId: "acct_1",
      events: 3n,
      newestEventAt: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      verifiedEvents: 2n,
      verifiedAt: "2026-01-31T09:30:00.000000Z",
      verificationDueAt: "",
      openErasures: 2,
      erasureDueAt: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
    },
    { accountId: "acct_2", events: 1n, verifiedEvents: 0n, verifiedAt: "", openErasures: 0 },
  ]);
});

test("without accounts, reports those that have waited longest", async () => {
  const { erasure, report, verification } = await begin();
  expect(await report()).toEqual([]);
  await verification("acct_1", "1 hour");
  await erasure("acct_1", "era_1", "1 hour");
  expect(await report()).toEqual([]);
  await verification("acct_2", "-1 hour");
  expect(await report()).toMatchObject([
    { accountId: "acct_2", verificationDueAt: expect.stringMatching(/Z$/) },
  ]);
  await erasure("acct_1", "era_2", "-1 hour");
  const both = (await report()).map(({ accountId }) => accountId);
  expect(both.toSorted()).toEqual(["acct_1", "acct_2"]);
});

test("refuses more than 100 accounts", async () => {
  const { report } = await begin();
  const many = Array.from({ length: 101 }, (_, index) => `acct_${index}`);
  await expect(report(...many)).rejects.toThrow("at most 100");
});
