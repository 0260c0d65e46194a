// Guarantees of the append path: appends that arrive together share transactions; every append, by
// whichever path and from any number of replicas, continues the one chain; a key identifies one
// request.

import { GENESIS_HASH } from "@annals/event";
import { isDistributed } from "@annals/postgres";
import { bytesWaiting } from "@annals/testing";
import { describe, expect, test } from "vitest";
import type { Replayed, Stored } from "./rules/plan-flush.ts";
import {
  append,
  chainOf,
  eventOf,
  newAccountId,
  newQueue,
  whileHeld,
} from "../testing/append-fixtures.ts";
import { newLedgerDatabase, POOL_SIZE } from "../testing/database.ts";
import { appendsOf } from "./commits.ts";

const outcomes = (results: readonly (Stored | Replayed)[]) => results.map(({ outcome }) => outcome);

describe("group commit", () => {
  test("1,000 appends at the same time share a few transactions", async () => {
    const database = await newLedgerDatabase();
    const { queue, groups, notified } = newQueue(database.url);
    const accountId = newAccountId();
    const results = await Promise.all(
      Array.from({ length: 1_000 }, () => queue.submit(append(accountId))),
    );
    expect(await chainOf(database, accountId)).toHaveLength(1_000);
    expect(new Set(results.map(({ firstSequence }) => firstSequence)).size).toBe(1_000);
    expect(await groups()).toBeLessThanOrEqual(3);
    expect(notified.at(-1)).toBe(1_000n);
  });

  test("appends one after the other take a transaction each, without a wait; the metrics count both batchers", async () => {
    const database = await newLedgerDatabase();
    const { queue, groups, batches } = newQueue(database.url);
    const accountId = newAccountId();
    for (let n = 0; n < 20; n += 1) await queue.submit(append(accountId));
    expect(await groups()).toBe(20);
    expect(await batches("ledger_appends")).toBe(20);
    // The first appended under the lock.
    expect(await batches("ledger_commits")).toBe(19);
  });

  test("a group is bounded in bytes, and an append larger than the bound is stored alone", async () => {
    const database = await newLedgerDatabase();
    const { queue, groups } = newQueue(database.url);
    const accountId = newAccountId();
    const metadata = JSON.stringify({ m: "x".repeat(60_000) });
    const large = { events: Array.from({ length: 100 }, () => eventOf("a", { metadata })) };
    await Promise.all(
      [append(accountId), append(accountId, large), append(accountId)].map((each) =>
        queue.submit(each),
      ),
    );
    expect(await chainOf(database, accountId)).toHaveLength(102);
    expect(await groups()).toBe(3);
  });

  test("a group that waits for a connection counts with its bytes, on a cached head and under the lock", async () => {
    const database = await newLedgerDatabase();
    const { queue, pool } = newQueue(database.url);
    const accountId = newAccountId();
    const metadata = JSON.stringify({ m: "x".repeat(60_000) });
    const large = append(accountId, {
      events: Array.from({ length: 50 }, () => eventOf("a", { metadata })),
    });
    const waited = { pool, connections: POOL_SIZE, accountId: appendsOf(accountId) };
    // The first group for a cached head asks it, which takes a connection too.
    await isDistributed(pool);
    expect(await bytesWaiting(waited, () => queue.submit(large))).toBe(large.weight);
    const onCachedHead = await bytesWaiting(waited, () => queue.submit(large));
    expect(onCachedHead).toBeGreaterThan(50 * 60_000);
    expect(await chainOf(database, accountId)).toHaveLength(100);
  });

  test("what the queue answers is what is stored", async () => {
    const database = await newLedgerDatabase();
    const { queue } = newQueue(database.url);
    const accountId = newAccountId();
    const two = { events: [eventOf("a"), eventOf("b", { actor: '{"id":"u"}', actorId: "u" })] };
    const result = await queue.submit(append(accountId, two));
    if (result.outcome !== "stored") throw new Error("not stored");
    const links = await chainOf(database, accountId);
    expect(result.hashes).toEqual([GENESIS_HASH, ...links.map(({ hash }) => hash)]);
    const rows = await database.query(
      "SELECT id, action, created_at FROM ledger.events ORDER BY sequence_number",
    );
    expect(rows.map(({ id }) => id)).toEqual(result.ids);
    expect(rows.map(({ created_at }) => created_at)).toEqual([result.createdAt, result.createdAt]);
    const [payload] = await database.query(
      "SELECT actor_id, actor_type FROM ledger.events WHERE sequence_number = 2",
    );
    expect(payload).toEqual({ actor_id: "u", actor_type: null });
  });
});

describe("the two paths", () => {
  test("a replica that appends alone locks and reads the head once, then uses its cached head", async () => {
    const database = await newLedgerDatabase();
    const { queue, ran } = newQueue(database.url);
    const accountId = newAccountId();
    for (let n = 0; n < 10; n += 1) await queue.submit(append(accountId));
    // Twice for the first append, which makes the head.
    expect(await ran("ledger.lock-head")).toBe(2);
    expect(await ran("ledger.append-events")).toBe(10);
  });

  test("a cached head that another replica made stale stores nothing; the append goes under the lock", async () => {
    const database = await newLedgerDatabase();
    const [one, other] = [newQueue(database.url), newQueue(database.url)];
    const accountId = newAccountId();
    await one.queue.submit(append(accountId));
    await one.queue.submit(append(accountId));
    await other.queue.submit(append(accountId));
    const result = await one.queue.submit(append(accountId));
    expect(result.firstSequence).toBe(4);
    expect(await one.ran("ledger.append-events")).toBe(4);
    expect(await chainOf(database, accountId)).toHaveLength(4);
  });

  test("two replicas on one account", async () => {
    const database = await newLedgerDatabase();
    const queues = [newQueue(database.url), newQueue(database.url)];
    const accountId = newAccountId();
    await Promise.all(
      queues.map(async ({ queue }) => {
        for (let round = 0; round < 20; round += 1) {
          await Promise.all(Array.from({ length: 10 }, () => queue.submit(append(accountId))));
        }
      }),
    );
    expect(await chainOf(database, accountId)).toHaveLength(400);
    for (const { brokenChains } of queues) expect(await brokenChains()).toBe(0);
  });

  test("200 first appends at the same time on two replicas make one genesis", async () => {
    const database = await newLedgerDatabase();
    const queues = [newQueue(database.url), newQueue(database.url)] as const;
    for (let round = 0; round < 5; round += 1) {
      const accountId = newAccountId();
      const submit = (_: unknown, n: number) =>
        queues[n % 2 === 0 ? 0 : 1].queue.submit(append(accountId));
      await Promise.all(Array.from({ length: 200 }, submit));
      const links = await chainOf(database, accountId);
      expect(links).toHaveLength(200);
      expect(links.filter((link) => link.previous_hash === GENESIS_HASH)).toHaveLength(1);
    }
  });

  test("chains do not wait for each other", async () => {
    const database = await newLedgerDatabase();
    const { queue, pool } = newQueue(database.url);
    const [held, free] = [newAccountId(), newAccountId()];
    await queue.submit(append(held));
    const waiting = await whileHeld(pool, held, async () => {
      const pending = queue.submit(append(held));
      await queue.submit(append(free));
      return { pending };
    });
    expect((await waiting.pending).firstSequence).toBe(2);
  });
});

describe("idempotency", () => {
  const keyed = (accountId: string, idempotencyKey: string, fill = 1) =>
    append(accountId, { idempotencyKey, requestSha256: Buffer.alloc(32, fill) });

  test("the same key many times in one group is stored once", async () => {
    const database = await newLedgerDatabase();
    const { queue, groups } = newQueue(database.url);
    const accountId = newAccountId();
    const others = Array.from({ length: 50 }, (_, n) => keyed(accountId, `k${n % 5}`));
    const results = await Promise.all(
      [append(accountId), ...others].map((each) => queue.submit(each)),
    );
    expect(await groups()).toBe(1);
    expect(await chainOf(database, accountId)).toHaveLength(6);
    expect(outcomes(results.slice(1, 6))).toEqual(Array(5).fill("stored"));
    expect(outcomes(results.slice(6))).toEqual(Array(45).fill("replayed"));
    for (const [index, { firstSequence }] of results.slice(1).entries())
      expect(firstSequence).toBe(2 + (index % 5));
  });

  test("a key in a group with another request refuses that one alone", async () => {
    const database = await newLedgerDatabase();
    const { queue } = newQueue(database.url);
    const accountId = newAccountId();
    const results = await Promise.allSettled(
      [append(accountId), keyed(accountId, "k"), keyed(accountId, "k", 2), append(accountId)].map(
        (each) => queue.submit(each),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(results[2]).toMatchObject({ reason: { kind: "invalid" } });
    expect(await chainOf(database, accountId)).toHaveLength(3);
  });

  test("a key that another replica stored is a replay by either path", async () => {
    const database = await newLedgerDatabase();
    const [one, other] = [newQueue(database.url), newQueue(database.url)];
    const accountId = newAccountId();
    await one.queue.submit(append(accountId));
    await other.queue.submit(keyed(accountId, "k"));
    expect(await one.queue.submit(keyed(accountId, "k"))).toEqual({
      outcome: "replayed",
      firstSequence: 2,
      eventCount: 1,
    });
    // The cached head of this replica is right again, and the key makes the statement store nothing.
    await one.queue.submit(append(accountId));
    await one.queue.submit(append(accountId));
    expect((await one.queue.submit(keyed(accountId, "k"))).outcome).toBe("replayed");
    expect(await chainOf(database, accountId)).toHaveLength(4);
  });

  test("one key from two replicas at the same time is stored once", async () => {
    const database = await newLedgerDatabase();
    const queues = [newQueue(database.url), newQueue(database.url)];
    for (let round = 0; round < 20; round += 1) {
      const accountId = newAccountId();
      const results = await Promise.all(
        queues.flatMap(({ queue }) => [1, 2].map(() => queue.submit(keyed(accountId, "k")))),
      );
      expect(outcomes(results).toSorted((a, b) => a.localeCompare(b))).toEqual([
        "replayed",
        "replayed",
        "replayed",
        "stored",
      ]);
      expect(await chainOf(database, accountId)).toHaveLength(1);
    }
  });
});
