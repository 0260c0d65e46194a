// A reader that asks the ledger for what lies after its cursor misses nothing: positions have no gaps and
// appear in their order, whatever ledgers do at the same time; an entry is added once for each verification
// that its client waited for, and is what the client was answered. A notice follows a commit and never
// precedes it.

import type { Pool } from "@annals/postgres";
import { lostServer } from "@annals/testing";
import { describe, expect, test } from "vitest";
import { newLedgerDatabase } from "../../testing/database.ts";
import { appendOf, openLedger, SetClock } from "../../testing/test-ledger.ts";

const ACCOUNT = "acct_1";
const NO_EVENTS = "acct_empty";

describe("verifications", () => {
  test("each adds the entry of its own answer, and then a notice", async () => {
    const { client, notices } = openLedger(await newLedgerDatabase());
    await client.createEvents({ appends: [appendOf(ACCOUNT, 3)] });
    await client.verifyChain({ accountId: ACCOUNT });
    const second = await client.verifyChain({ accountId: ACCOUNT, fromSequence: 2n });
    const { entries } = await client.listOutbox({
      accountId: ACCOUNT,
      afterPosition: 1n,
      limit: 10,
    });
    expect(entries).toMatchObject([
      { position: 2n, eventName: "event.verified", createdAt: second.verifiedAt },
    ]);
    expect(JSON.parse(entries[0]?.data ?? "")).toEqual({
      valid: true,
      checked: 2,
      from_sequence: 2,
      to_sequence: 3,
      erased: 0,
      retained_from: 1,
      head: { sequence_number: 3, hash: second.headHash },
      first_invalid: null,
      covered: null,
      verified_at: second.verifiedAt,
    });
    expect(notices).toEqual([
      { kind: "events", accountId: ACCOUNT, position: 3n },
      { kind: "verifications", accountId: ACCOUNT, position: 1n },
      { kind: "verifications", accountId: ACCOUNT, position: 2n },
    ]);
  });

  test("of a broken chain is an entry, a range that is refused is none", async () => {
    const database = await newLedgerDatabase();
    const { client } = openLedger(database);
    await client.createEvents({ appends: [appendOf(ACCOUNT, 2)] });
    await database.query(
      "UPDATE ledger.events SET metadata = '{\"a\":1}' WHERE sequence_number = 2",
    );
    await expect(client.verifyChain({ accountId: ACCOUNT, fromSequence: 9n })).rejects.toThrow(
      "from_sequence",
    );
    await client.verifyChain({ accountId: ACCOUNT });
    const { entries } = await client.listOutbox({ accountId: ACCOUNT, limit: 10 });
    expect(entries.map(({ data }) => JSON.parse(data))).toMatchObject([
      { valid: false, first_invalid: { sequence_number: 2, reason: "digest_mismatch" } },
    ]);
  });

  test("whose client disconnected are none", async () => {
    const gone = new AbortController();
    const { client, notices } = openLedger(await newLedgerDatabase(), undefined, (pool): Pool => {
      return {
        ...pool,
        run: async (statement, params) => {
          const rows = await pool.run(statement, params);
          if (statement.name === "ledger.check-block") gone.abort();
          return rows;
        },
      };
    });
    await client.createEvents({ appends: [appendOf(ACCOUNT, 1)] });
    const verifying = client.verifyChain({ accountId: ACCOUNT }, { signal: gone.signal });
    await expect(verifying).rejects.toThrow(/abort|cancel/i);
    await client.verifyChain({ accountId: NO_EVENTS });
    expect(notices.map(({ kind, accountId }) => `${kind} ${accountId}`)).toEqual([
      `events ${ACCOUNT}`,
      `verifications ${NO_EVENTS}`,
    ]);
    const { entries } = await client.listOutbox({ accountId: ACCOUNT, limit: 10 });
    expect(entries).toEqual([]);
  });

  test("at the same time in two ledgers get gapless positions, seen in their order", async () => {
    const database = await newLedgerDatabase();
    const ledgers = [openLedger(database), openLedger(database)] as const;
    await ledgers[0].client.createEvents({ appends: [appendOf(ACCOUNT, 1)] });
    let finished = false;
    const verifying = Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (ledgers[index % 2] ?? ledgers[0]).client.verifyChain({ accountId: ACCOUNT }),
      ),
    ).finally(() => (finished = true));
    const reader = openLedger(database).client;
    const seen: bigint[] = [];
    for (let last = false; !last;) {
      last = finished;
      const { positions } = await reader.getPositions({ accountIds: [ACCOUNT] });
      const { entries } = await reader.listOutbox({
        accountId: ACCOUNT,
        afterPosition: seen.at(-1) ?? 0n,
        limit: 1_000,
      });
      seen.push(...entries.map(({ position }) => position));
      // What positions announced is there.
      expect(BigInt(seen.length)).toBeGreaterThanOrEqual(positions[0]?.outbox ?? 0n);
    }
    await verifying;
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => BigInt(index + 1)));
  });
});

test("what the dispatcher has passed is deleted after a week, what it has not passed stays", async () => {
  const database = await newLedgerDatabase();
  const { client } = openLedger(database, new SetClock("2026-01-01T00:00:00.000000Z"));
  for (let n = 0; n < 4; n++) await client.verifyChain({ accountId: ACCOUNT });
  const listed = async (afterPosition: bigint) =>
    (await client.listOutbox({ accountId: ACCOUNT, afterPosition, limit: 10 })).entries.map(
      ({ position }) => position,
    );
  expect(await listed(2n)).toEqual([3n, 4n]);
  expect(await listed(0n)).toEqual([3n, 4n]);
});

test("appends are notified after their commit, replays and refusals not at all", async () => {
  const sentBeforeCommit: number[] = [];
  const { client, notices } = openLedger(await newLedgerDatabase(), undefined, (pool): Pool => {
    return {
      ...pool,
      transaction: async (work) => {
        const result = await pool.transaction(work);
        sentBeforeCommit.push(notices.length);
        return result;
      },
    };
  });
  const kept = appendOf(ACCOUNT, 2, { idempotencyKey: "k" });
  await client.createEvents({ appends: [kept] });
  await client.createEvents({ appends: [kept] });
  await client.createEvents({ appends: [appendOf(ACCOUNT, 1, { monthlyQuota: 0n })] });
  expect(notices).toEqual([{ kind: "events", accountId: ACCOUNT, position: 2n }]);
  expect(sentBeforeCommit).toEqual([0, 1, 1]);
});

describe("positions", () => {
  test("are in the order asked, 0 for an account that has none", async () => {
    const { client } = openLedger(await newLedgerDatabase());
    await client.createEvents({ appends: [appendOf(ACCOUNT, 5), appendOf("acct_2", 2)] });
    await client.verifyChain({ accountId: "acct_2" });
    const { positions } = await client.getPositions({
      accountIds: ["acct_2", NO_EVENTS, ACCOUNT, "acct_2"],
    });
    expect(positions).toMatchObject([
      { headSequenceNumber: 2n, outbox: 1n },
      { headSequenceNumber: 0n, outbox: 0n },
      { headSequenceNumber: 5n, outbox: 0n },
      { headSequenceNumber: 2n, outbox: 1n },
    ]);
  });

  test("are 0 for an account whose server is away, and others have theirs", async () => {
    const lost = new Set<string>();
    const { client } = openLedger(await newLedgerDatabase(), new SetClock(), (pool) => ({
      ...pool,
      run: lostServer<Pool["run"]>((...given) => pool.run(...given), lost),
    }));
    await client.createEvents({ appends: [appendOf(ACCOUNT, 5), appendOf("acct_2", 2)] });
    lost.add("acct_2");
    const { positions } = await client.getPositions({ accountIds: ["acct_2", ACCOUNT] });
    expect(positions).toMatchObject([{ headSequenceNumber: 0n }, { headSequenceNumber: 5n }]);
  });

  test("are limited to 1,000 accounts a call, entries to 1,000 a page", async () => {
    const { client } = openLedger(await newLedgerDatabase());
    const many = Array.from({ length: 1_001 }, (_, index) => `acct_${index}`);
    await expect(client.getPositions({ accountIds: many })).rejects.toThrow("account_ids");
    const all = await client.getPositions({ accountIds: many.slice(1) });
    expect(all.positions).toHaveLength(1_000);
    await expect(client.listOutbox({ accountId: ACCOUNT, limit: 1_001 })).rejects.toThrow("limit");
    await expect(client.listOutbox({ accountId: ACCOUNT, limit: 0 })).rejects.toThrow("limit");
    await expect(client.listOutbox({ accountId: "", limit: 1 })).rejects.toThrow("account_id");
  });
});
