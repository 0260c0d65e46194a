// Guarantee: with the rights of the service, a record erases what it names, and only that: texts, salts and
// copies of each named part, and their places in the filter index.

import { beforeAll, expect, test } from "vitest";
import { newAccountId } from "../../testing/append-fixtures.ts";
import {
  eventBy,
  type LifecycleFixtures,
  openLifecycleFixtures,
} from "../../testing/lifecycle-fixtures.ts";

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

test("the filter index then is the one that a new index would be", async () => {
  const accountId = newAccountId();
  const events = Array.from({ length: 4_096 }, (_, index) => eventBy(index % 3));
  await world.appendTo(accountId, events);
  await world.run('SELECT ledger.begin_lifecycle($1::text COLLATE "C")', [accountId]);
  const index = () => world.run("SELECT ledger.index_chunk($1, 0)", [accountId]);
  const read = () =>
    world.owner.query(
      "SELECT field, value, chunk, ordinals FROM ledger.postings WHERE account_id = $1 ORDER BY 1, 2, 3",
      [accountId],
    );
  await index();
  // Every event of u_1, in pieces, and some of the others.
  for (let from = 1; from <= 4_096; from += 750) {
    const numbers = Array.from({ length: 250 }, (_, at) => from + 1 + at * 3);
    const metadata = {
      parts: ["actor"],
      sequence_numbers: numbers.filter((each) => each <= 4_096).join(","),
    };
    // oxlint-disable-next-line no-await-in-loop -- in order
    await world.erase(accountId, await world.record(accountId, ERASURE, metadata));
  }
  const some = await world.record(accountId, ERASURE, {
    parts: ["target"],
    sequence_numbers: "7-90",
  });
  await world.erase(accountId, some);
  const erased = await read();
  expect(erased.map(({ value }) => value)).toEqual([
    "invoice.read",
    "u_0",
    "u_2",
    "user",
    "inv_9",
    "invoice",
  ]);
  await world.owner.query("DELETE FROM ledger.chunks WHERE account_id = $1", [accountId]);
  await world.owner.query("DELETE FROM ledger.postings WHERE account_id = $1", [accountId]);
  await index();
  expect(erased).toEqual(await read());
});
