// Guarantee: with the rights of the service, a record erases what it names, and only that: texts, salts and
// copies of each named part, and their places in the filter index.

import { beforeAll, expect, test } from "vitest";
import { newAccountId } from "../../testing/append-fixtures.ts";
import { type LifecycleFixtures, openLifecycleFixtures } from "../../testing/lifecycle-fixtures.ts";
import {
  entriesOfBlocks,
  entriesOfEvents,
  FRESH,
  indexSparse,
  insertEvents,
  SEALED,
  SPARSE,
  sparse,
} from "../../testing/segment-fixtures.ts";

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

/** Metadata of event n, and its other values: every third event is by u_1. */
const metadata = `'{"outcome":["o_' || n % 3 || '","' || n % 70 || '"]}'`;
const by = (others: string): string =>
  `'invoice.read', CASE n % 3 WHEN 2 THEN 'u_1' ELSE ${others} END, 'user', 'inv_9', 'invoice', 0`;

/** A chain of so many numbers, with these values of actors other than u_1. */
async function newSparse(length: number, given: { others?: string; context?: string }) {
  const accountId = newAccountId();
  const { context = "'{}'", others = "'u_0'" } = given;
  const events = { values: by(others), metadata, context, every: SPARSE } as const;
  await insertEvents(world.owner, accountId, length / SPARSE, events);
  await world.run('SELECT ledger.begin_lifecycle($1::text COLLATE "C")', [accountId]);
  return accountId;
}

/** The numbers of the events from one to another one. */
const numbered = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => sparse(from + at));

async function eraseNumbers(accountId: string, parts: string[], numbers: readonly number[]) {
  const named = { parts, sequence_numbers: numbers.join(",") };
  await world.erase(accountId, await world.record(accountId, ERASURE, named));
}

/** Erases the actor of every event of u_1 among the first ones, in pieces, and two parts of some others. */
async function eraseSome(accountId: string, upTo: number): Promise<void> {
  for (let from = 2; from <= upTo; from += 300) {
    const all = numbered(from, Math.min(from + 299, upTo));
    // oxlint-disable-next-line no-await-in-loop -- in order
    await eraseNumbers(
      accountId,
      ["actor"],
      all.filter((_, at) => at % 3 === 0),
    );
  }
  await eraseNumbers(accountId, ["metadata", "target"], numbered(7, 90));
}

test("the filter index then is the one that a new index would be", async () => {
  const accountId = await newSparse(2 * FRESH, {});
  await indexSparse(world.owner, accountId, 0, FRESH);
  // Control: before the queue is done, the erased values are in the index.
  await eraseSome(accountId, FRESH / SPARSE);
  const entries = async () => (await entriesOfBlocks(world.owner, accountId)).map(([, key]) => key);
  expect(await entries()).toContain("u_1");
  // What is indexed later has none of them. The queue has values of it, too, and nothing to take out.
  await eraseNumbers(accountId, ["actor", "metadata", "target"], numbered(300, 400));
  await indexSparse(world.owner, accountId, FRESH, 2 * FRESH);
  expect(await forget(accountId)).toBe(2);
  expect(await queued(accountId)).toEqual([]);
  const right = await entriesOfEvents(world.owner, accountId, 0, 2 * FRESH);
  expect(await entriesOfBlocks(world.owner, accountId)).toEqual(right);
  expect(right.find(([field, key]) => field === "actor_id" && key === "u_1")?.[2][0]).toBe(
    sparse(257),
  );
});

test("so is that of declared fields, of one that is deleted, and of one whose backfill is on its way", async () => {
  const context = `'{"ip":["10.0.0.' || n % 3 || '","10.1.0.' || n % 200 || '"],"n":' || n % 50 || '}'`;
  const accountId = await newSparse(SEALED, { context });
  const declare = (field: number, name: string, type: string, deletedAt: string | null = null) =>
    world.owner.query(
      "INSERT INTO ledger.fields VALUES ($1, $2, $3, $4, $5, false, 65536, 65536, '', $6)",
      [accountId, field, name, ["context", name], type, deletedAt],
    );
  await indexSparse(world.owner, accountId, 0, SEALED);
  await world.run("SELECT ledger.seal_segment($1, 0)", [accountId]);
  await declare(16, "ip", "ip");
  await declare(17, "n", "number");
  await declare(18, "n2", "string");
  const backfill = (field: number) =>
    world.run("SELECT ledger.index_field($1, $2::smallint)", [accountId, field]);
  for (let step = 0; step < 17; step += 1) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    await backfill(16);
    // oxlint-disable-next-line no-await-in-loop -- in order
    if (step < 15) await backfill(17);
  }
  await world.owner.query(
    "UPDATE ledger.fields SET deleted_at = '' WHERE account_id = $1 AND field = 16",
    [accountId],
  );
  await eraseNumbers(accountId, ["context"], numbered(1, 200));
  await eraseNumbers(accountId, ["context"], numbered(301, 500));
  const said = async () =>
    (await entriesOfBlocks(world.owner, accountId)).filter(([field]) => field === null);
  const keys = (entries: Awaited<ReturnType<typeof said>>) =>
    entries.reduce((sum, [, , numbers]) => sum + numbers.length, 0);
  const before = keys(await said());
  await forget(accountId);
  // Two addresses of each of 400 events, and the number of those that the backfill had reached.
  expect(before - keys(await said())).toBe(400 * 2 + 200);
  const right = await world.owner.query<{ key: string; numbers: string }>(
    `SELECT key, string_agg(n::text, ',' ORDER BY n) AS numbers FROM (
       SELECT sequence_number AS n, unnest(ledger.keys_of(context, '{ip}', 'ip', false)) AS key FROM ledger.events
       WHERE account_id = $1 AND sequence_number <= 65536
       UNION ALL
       SELECT sequence_number, unnest(ledger.keys_of(context, '{n}', 'number', false)) FROM ledger.events
       WHERE account_id = $1 AND sequence_number > 4096 AND sequence_number <= 65536
     ) AS entries GROUP BY key ORDER BY key COLLATE "C"`,
    [accountId],
  );
  expect((await said()).map(([, key, numbers]) => ({ key, numbers: numbers.join(",") }))).toEqual(
    right,
  );
});

test("so is a sealed one, and one that is sealed before the values are taken out", async () => {
  const accountId = await newSparse(SEALED, { others: "'u_' || 1000 + n" });
  await indexSparse(world.owner, accountId, 0, SEALED);
  await eraseSome(accountId, 1_000);
  await world.run("SELECT ledger.seal_segment($1, 0)", [accountId]);
  await eraseSome(accountId, 2_000);
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
