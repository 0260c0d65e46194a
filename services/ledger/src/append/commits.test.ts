// Guarantees: chains that are appended to at the same time share transactions and nothing else. What holds
// one of them up, or is wrong with one of them, is its own affair; and each is as it would be alone.

import { eventually, ON_ONE_SERVER, type TestDatabase } from "@annals/testing";
import { expect, test } from "vitest";
import {
  append,
  chainOf,
  eventOf,
  losingAnswers,
  moveHeadBack,
  newAccountId,
  newQueue,
  UNAVAILABLE,
  whileHeld,
} from "../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../testing/database.ts";
import { NEVER } from "../testing/block-fixtures.ts";
import { BlockChecker } from "../verify/block-checker.ts";

type Replica = ReturnType<typeof newQueue>;

/** Accounts with one event each, whose heads the replica knows. */
async function knownChains({ queue }: Replica, count: number): Promise<string[]> {
  const accounts = Array.from({ length: count }, newAccountId);
  await Promise.all(accounts.map((accountId) => queue.submit(append(accountId))));
  return accounts;
}

/** How often the statements ran since `knownChains`, which took one for each account. */
async function statements({ ran }: Replica, { length }: readonly string[]) {
  const shared = await ran("ledger.append-to-chains");
  return { shared, single: (await ran("ledger.append-events")) - length };
}

async function lengths(database: TestDatabase, accounts: readonly string[]): Promise<number[]> {
  const chains = await Promise.all(accounts.map((accountId) => chainOf(database, accountId)));
  return chains.map((links) => links.length);
}

test.runIf(ON_ONE_SERVER)(
  "appends to many chains at the same time are one transaction, and each chain is valid",
  async () => {
    const database = await newLedgerDatabase();
    const replica = newQueue(database.url);
    const accounts = await knownChains(replica, 40);
    const results = await Promise.all(
      accounts.map((accountId, n) => {
        const actor = n % 2 === 0 ? {} : { actor: '{"id":"u"}', actorId: "u" };
        const metadata = `{"of":"${accountId}"}`;
        const events = Array.from({ length: (n % 3) + 1 }, (_, index) =>
          eventOf(`a${index}`, { ...actor, metadata }),
        );
        return replica.queue.submit(append(accountId, { events }));
      }),
    );
    expect(await statements(replica, accounts)).toEqual({ shared: 1, single: 0 });
    const checker = new BlockChecker(2);
    for (const [n, result] of results.entries()) {
      const accountId = accounts[n] ?? "";
      if (result.outcome !== "stored") throw new Error("not stored");
      const links = await chainOf(database, accountId);
      expect(links.map(({ hash }) => hash)).toEqual(result.hashes);
      // Every digest, leaf and copy of an id is recomputed.
      const block = { accountId, from: 1, to: links.length, signal: NEVER };
      expect(await checker.check(replica.pool, block)).toBeDefined();
      const rows = await database.query(
        `SELECT id, action, created_at, metadata FROM ledger.events
       WHERE account_id = $1 AND sequence_number > 1 ORDER BY sequence_number`,
        [accountId],
      );
      const { createdAt: created_at, ids } = result;
      const metadata = `{"of":"${accountId}"}`;
      expect(rows).toEqual(
        ids.map((id, index) => ({ id, action: `a${index}`, created_at, metadata })),
      );
    }
  },
);

test.runIf(ON_ONE_SERVER)("months and quotas are those of each chain", async () => {
  const database = await newLedgerDatabase();
  const replica = newQueue(database.url);
  const accounts = await knownChains(replica, 3);
  const submit = () =>
    Promise.allSettled(
      accounts.map((accountId, n) =>
        replica.queue.submit(append(accountId, n === 1 ? { monthlyQuota: 2 } : {})),
      ),
    );
  await submit();
  expect((await submit()).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect(await statements(replica, accounts)).toMatchObject({ shared: 2 });
  expect(await lengths(database, accounts)).toEqual([3, 2, 3]);
});

test.runIf(ON_ONE_SERVER)("a chain that another replica appended to goes for itself", async () => {
  const database = await newLedgerDatabase();
  const [replica, other] = [newQueue(database.url), newQueue(database.url)];
  const accounts = await knownChains(replica, 5);
  await other.queue.submit(append(accounts[2] ?? ""));
  await Promise.all(accounts.map((accountId) => replica.queue.submit(append(accountId))));
  expect(await statements(replica, accounts)).toEqual({ shared: 1, single: 1 });
  expect(await lengths(database, accounts)).toEqual([2, 2, 3, 2, 2]);
});

test("two replicas on the same chains", async () => {
  const database = await newLedgerDatabase();
  const replicas = [newQueue(database.url), newQueue(database.url)];
  const accounts = Array.from({ length: 20 }, newAccountId);
  await Promise.all(
    replicas.map(async ({ queue }, place) => {
      const inOrder = place === 0 ? accounts : accounts.toReversed();
      for (let round = 0; round < 20; round += 1) {
        // Some rounds each replica has half of the chains to itself, and learns their heads.
        const mine = inOrder.slice(0, round % 4 === 0 ? accounts.length : accounts.length / 2);
        await Promise.all(mine.map((accountId) => queue.submit(append(accountId))));
      }
    }),
  );
  expect(await lengths(database, accounts)).toEqual(accounts.map(() => 25));
  for (const { brokenChains } of replicas) expect(await brokenChains()).toBe(0);
});

test.runIf(ON_ONE_SERVER)("a chain whose head is locked delays none of its group", async () => {
  const database = await newLedgerDatabase();
  const replica = newQueue(database.url);
  const accounts = await knownChains(replica, 3);
  const { pending } = await whileHeld(replica.pool, accounts[1] ?? "", async () => {
    const [first, held, last] = accounts.map((each) => replica.queue.submit(append(each)));
    await Promise.all([first, last]);
    return { pending: held };
  });
  expect((await pending)?.firstSequence).toBe(2);
  expect(await statements(replica, accounts)).toEqual({ shared: 1, single: 1 });
});

test("what PostgreSQL refuses of one chain is refused of no other", async () => {
  const database = await newLedgerDatabase();
  const replica = newQueue(database.url);
  const accounts = await knownChains(replica, 10);
  const results = await Promise.allSettled(
    accounts.map((accountId, n) =>
      replica.queue.submit(append(accountId, { action: n === 4 ? "\0" : "a" })),
    ),
  );
  expect(results.flatMap(({ status }, n) => (status === "rejected" ? [n] : []))).toEqual([4]);
  expect(await lengths(database, accounts)).toEqual(accounts.map((_, n) => (n === 4 ? 1 : 2)));
});

test("a head that was moved back stops its own chain only", async () => {
  const database = await newLedgerDatabase();
  const replica = newQueue(database.url);
  const accounts = await knownChains(replica, 3);
  const submit = () =>
    Promise.allSettled(accounts.map((each) => replica.queue.submit(append(each))));
  await submit();
  await moveHeadBack(database, accounts[1] ?? "", 1);
  for (let round = 0; round < 2; round += 1) {
    expect(await submit()).toMatchObject([
      { status: "fulfilled" },
      { reason: { kind: "internal" } },
      { status: "fulfilled" },
    ]);
  }
});

test("a key identifies one request of its own account", async () => {
  const database = await newLedgerDatabase();
  const [replica, other] = [newQueue(database.url), newQueue(database.url)];
  const accounts = await knownChains(replica, 4);
  const keyed = { idempotencyKey: "k", requestSha256: Buffer.alloc(32, 7) };
  const submit = ({ queue }: Replica) =>
    Promise.all(accounts.map((accountId) => queue.submit(append(accountId, keyed))));
  const stored = await submit(replica);
  const again = accounts.map(() => ({ outcome: "replayed", firstSequence: 2, eventCount: 1 }));
  expect(stored.map(({ outcome }) => outcome)).toEqual(accounts.map(() => "stored"));
  expect(await submit(replica)).toEqual(again);
  expect(await submit(other)).toEqual(again);
  expect(await lengths(database, accounts)).toEqual(accounts.map(() => 2));
});

test.runIf(ON_ONE_SERVER)(
  "chains whose answer is lost are unavailable, and none is appended to twice",
  async () => {
    const database = await newLedgerDatabase();
    const proxy = await losingAnswers(database.url);
    const replica = newQueue(proxy.url);
    const accounts = await knownChains(replica, 10);
    const keyed = { idempotencyKey: "k", requestSha256: Buffer.alloc(32, 7) };
    const submit = () =>
      Promise.allSettled(accounts.map((each) => replica.queue.submit(append(each, keyed))));
    proxy.arm("ledger.append-to-chains");
    const results = await submit();
    expect(proxy.lost()).toBe(1);
    for (const result of results) expect(result).toMatchObject(UNAVAILABLE);
    for (const result of await submit()) {
      expect(result).toMatchObject({ value: { outcome: "replayed", firstSequence: 2 } });
    }
    expect(await lengths(database, accounts)).toEqual(accounts.map(() => 2));
  },
);

test.runIf(ON_ONE_SERVER)(
  "who brings much shares no transaction with who brings little",
  async () => {
    const database = await newLedgerDatabase();
    const replica = newQueue(database.url);
    const accounts = await knownChains(replica, 5);
    const metadata = JSON.stringify({ m: "x".repeat(60_000) });
    const large = { events: Array.from({ length: 3 }, () => eventOf("a", { metadata })) };
    await Promise.all(
      accounts.map((accountId, n) => replica.queue.submit(append(accountId, n === 2 ? large : {}))),
    );
    // The chains before the large one, that one alone, and those after it.
    expect(await statements(replica, accounts)).toEqual({ shared: 3, single: 0 });
    expect(await lengths(database, accounts)).toEqual([2, 2, 4, 2, 2]);
  },
);

test.runIf(ON_ONE_SERVER)("large groups of many chains leave slots to small ones", async () => {
  const database = await newLedgerDatabase();
  const [replica, holder] = [newQueue(database.url), newQueue(database.url)];
  const [small = "", ...large] = await knownChains(replica, 6);
  const metadata = JSON.stringify({ text: "x".repeat(60_000) });
  const events = Array.from({ length: 3 }, () => eventOf("large", { metadata }));
  const locked = async () => {
    const waiting = "datname = current_database() AND wait_event_type = 'Lock'";
    return (await database.query(`SELECT FROM pg_stat_activity WHERE ${waiting}`)).length;
  };
  const text = "SELECT FROM ledger.heads WHERE account_id = ANY ($1) FOR UPDATE";
  const { appended } = await holder.pool.transaction(async (transaction) => {
    await transaction.run({ name: "test.hold", text, route: "local", customPlan: true }, [large]);
    const all = large.map((accountId) => replica.queue.submit(append(accountId, { events })));
    await eventually("some wait", async () => (await locked()) >= 2);
    await Promise.all([1, 2, 3].map(() => replica.queue.submit(append(small))));
    expect(await locked()).toBe(2);
    return { appended: Promise.all(all) };
  });
  await appended;
  expect(await lengths(database, [small, ...large])).toEqual([4, 4, 4, 4, 4, 4]);
});
