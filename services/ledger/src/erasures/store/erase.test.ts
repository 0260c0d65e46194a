// Guarantee: with the rights of the service, a record erases what it names, and only that: texts, salts and
// copies of each named part, and their places in the filter index.

import { beforeAll, expect, test } from "vitest";
import { newAccountId } from "../../testing/append-fixtures.ts";
import {
  eventBy,
  type LifecycleFixtures,
  openLifecycleFixtures,
} from "../../testing/lifecycle-fixtures.ts";
import { entriesOfBlocks, entriesOfEvents, FRESH, SEALED } from "../../testing/segment-fixtures.ts";

const ERASURE = "annals.erasure";

let world: LifecycleFixtures;
beforeAll(async () => {
  world = await openLifecycleFixtures();
});

test("a record of the chain erases what it names, once", async () => {
  const accountId = await world.newChain();
  const metadata = { parts: ["actor", "target"], sequence_numbers: "2,4-5" };
  const record = await world.record(accountId, ERASURE, metadata);
  const read = () =>
    world.owner.query(
      `SELECT sequence_number::int AS n, actor, context, target, erased, actor_id, actor_type, target_id, target_type,
         encode(salts, 'hex') AS salts, encode(digests, 'hex') AS digests, encode(hash, 'hex') AS hash
       FROM ledger.events WHERE account_id = $1 ORDER BY sequence_number`,
      [accountId],
    );
  const before = await read();
  expect(await world.erase(accountId, record)).toBe(3);
  const gone = { actor: "{}", target: "{}", erased: 17 };
  const copies = { actor_id: null, actor_type: null, target_id: null, target_type: null };
  const zeros = "0".repeat(32);
  const expected = before.map((row) =>
    [2, 4, 5].includes(row["n"] as number)
      ? {
          ...row,
          ...gone,
          ...copies,
          salts: zeros + String(row["salts"]).slice(32, 128) + zeros,
        }
      : row,
  );
  expect(await read()).toEqual(expected);
  expect(await world.erase(accountId, record)).toBe(0);
  expect(await read()).toEqual(expected);
});

test("every part can be erased, one record after the other", async () => {
  const accountId = await world.newChain();
  for (const part of ["actor", "context", "diff", "metadata", "target"]) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    const record = await world.record(accountId, ERASURE, { parts: [part], sequence_numbers: "1" });
    // oxlint-disable-next-line no-await-in-loop -- in order
    expect(await world.erase(accountId, record)).toBe(1);
  }
  const [row] = await world.owner.query(
    `SELECT actor || context || diff || metadata || target AS parts, erased, encode(salts, 'hex') AS salts
     FROM ledger.events WHERE account_id = $1 AND sequence_number = 1`,
    [accountId],
  );
  expect(row).toEqual({ parts: "{}{}{}{}{}", erased: 31, salts: "0".repeat(160) });
});

/** Takes everything out of the index that is queued. Resolves to how many transactions that took. */
async function forget(accountId: string): Promise<number> {
  for (let calls = 0; ; calls += 1) {
    const [row] = await world.run("SELECT ledger.unindex($1)::int AS taken", [accountId]);
    if (row?.["taken"] === 0) return calls;
  }
}

const queued = (accountId: string) =>
  world.owner.query("SELECT FROM ledger.unindexed WHERE account_id = $1", [accountId]);

/** Erases a part of every event of u_1 among the first ones, in pieces, and the target of some others. */
async function eraseSome(accountId: string, upTo: number): Promise<void> {
  for (let from = 1; from <= upTo; from += 750) {
    const numbers = Array.from({ length: 250 }, (_, at) => from + 1 + at * 3);
    const metadata = {
      parts: ["actor"],
      sequence_numbers: numbers.filter((each) => each <= upTo).join(","),
    };
    // oxlint-disable-next-line no-await-in-loop -- in order
    await world.erase(accountId, await world.record(accountId, ERASURE, metadata));
  }
  const some = { parts: ["target"], sequence_numbers: "7-90" };
  await world.erase(accountId, await world.record(accountId, ERASURE, some));
}

test("the filter index then is the one that a new index would be", async () => {
  const accountId = newAccountId();
  const events = Array.from({ length: 2 * FRESH }, (_, index) => eventBy(index % 3));
  await world.appendTo(accountId, events);
  await world.run('SELECT ledger.begin_lifecycle($1::text COLLATE "C")', [accountId]);
  await world.run("SELECT ledger.index_segment($1, 0)", [accountId]);
  // Control: before the queue is done, the erased values are in the index.
  await eraseSome(accountId, FRESH);
  const entries = async () => (await entriesOfBlocks(world.owner, accountId)).map(([, key]) => key);
  expect(await entries()).toContain("u_1");
  // What is indexed later has none of them. The queue has values of it, too, and nothing to take out.
  const late = { parts: ["actor", "target"], sequence_numbers: "5000-5100" };
  await world.erase(accountId, await world.record(accountId, ERASURE, late));
  await world.run("SELECT ledger.index_segment($1, 4096)", [accountId]);
  expect(await forget(accountId)).toBe(2);
  expect(await queued(accountId)).toEqual([]);
  const right = await entriesOfEvents(world.owner, accountId, 0, 2 * FRESH);
  expect(await entriesOfBlocks(world.owner, accountId)).toEqual(right);
  expect(right.find(([field, key]) => field === "actor_id" && key === "u_1")?.[2][0]).toBe(4_097);
});

test("so is a sealed one, and one that is sealed before the values are taken out", async () => {
  const accountId = newAccountId();
  const events = Array.from({ length: SEALED }, (_, index) =>
    eventBy(index % 3 === 1 ? 1 : 1_000 + index),
  );
  await world.appendTo(accountId, events);
  await world.run('SELECT ledger.begin_lifecycle($1::text COLLATE "C")', [accountId]);
  for (let base = 0; base < SEALED; base += FRESH)
    // oxlint-disable-next-line no-await-in-loop -- in order
    await world.run("SELECT ledger.index_segment($1, $2)", [accountId, base]);
  await eraseSome(accountId, 3_000);
  await world.run("SELECT ledger.seal_segment($1, 0)", [accountId]);
  await eraseSome(accountId, 6_000);
  expect(await forget(accountId)).toBe(1);
  expect(await entriesOfBlocks(world.owner, accountId)).toEqual(
    await entriesOfEvents(world.owner, accountId, 0, SEALED),
  );
  // No block begins with a value that is gone.
  const wrong = await world.owner.query(
    "SELECT FROM ledger.blocks WHERE account_id = $1 AND first <> keys[1]",
    [accountId],
  );
  expect(wrong).toEqual([]);
});
