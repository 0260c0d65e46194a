// Guarantee: a chain with erased parts verifies as long as a later record of it names each of them,
// whether PostgreSQL or this service recomputes the events. A bit without a record, a value or a salt
// under a bit, and a missing part without a bit are found, at the first event that has one.

import type { Pool } from "@annals/postgres";
import { InvalidReason } from "@annals/proto/ledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readEnds } from "../store/read-ends.ts";
import {
  eventBy,
  type LifecycleFixtures,
  openLifecycleFixtures,
} from "../testing/lifecycle-fixtures.ts";
import { openLedger, type TestLedger } from "../testing/test-ledger.ts";

const ERASURE = "annals.erasure";
const TWO = { parts: ["actor", "context"], sequence_numbers: "2-3" };

let world: LifecycleFixtures;
let ledger: TestLedger;
beforeAll(async () => {
  world = await openLifecycleFixtures();
  ledger = openLedger(world.owner, undefined, undefined, false, undefined, undefined, afterAll);
});

/** Six events, of which two are erased by the seventh; one more follows. */
async function erasedChain() {
  const accountId = await world.newChain();
  const record = await world.record(accountId, ERASURE, TWO);
  await world.erase(accountId, record);
  await world.appendTo(accountId, [eventBy(0)]);
  return { accountId, record };
}

async function verify(
  accountId: string,
  range: { fromSequence?: bigint; toSequence?: bigint } = {},
) {
  const { checked, erasedParts, firstInvalid } = await ledger.client.verifyChain({
    accountId,
    ...range,
  });
  return firstInvalid
    ? { at: Number(firstInvalid.sequenceNumber), reason: firstInvalid.reason }
    : { checked: Number(checked), erased: Number(erasedParts) };
}

const forge = (accountId: string, set: string, sequenceNumber: number) =>
  world.owner.query(
    `UPDATE ledger.events SET ${set} WHERE account_id = $1 AND sequence_number = $2`,
    [accountId, sequenceNumber],
  );

test("a chain with recorded erasures is valid, and so is each range of it", async () => {
  const { accountId } = await erasedChain();
  const of = (fromSequence: bigint, toSequence: bigint) =>
    verify(accountId, { fromSequence, toSequence });
  expect(await verify(accountId)).toEqual({ checked: 8, erased: 4 });
  expect(await of(2n, 3n)).toEqual({ checked: 2, erased: 4 });
  expect(await of(3n, 5n)).toEqual({ checked: 3, erased: 2 });
  expect(await of(8n, 8n)).toEqual({ checked: 1, erased: 0 });
});

test("a chain is valid while parts of it are erased", async () => {
  const { accountId } = await erasedChain();
  let isErased = false;
  const erasing = (pool: Pool): Pool => ({
    ...pool,
    run: async (statement, params) => {
      const rows = await pool.run(statement, params);
      if (statement.name !== readEnds.name || isErased) return rows;
      isErased = true;
      const record = { parts: ["actor"], sequence_numbers: "4" };
      await world.erase(accountId, await world.record(accountId, ERASURE, record));
      return rows;
    },
  });
  const busy = openLedger(world.owner, undefined, erasing);
  const { erasedParts, firstInvalid, valid } = await busy.client.verifyChain({ accountId });
  expect({ erased: Number(erasedParts), firstInvalid, isErased, valid }).toEqual({
    erased: 5,
    firstInvalid: undefined,
    isErased: true,
    valid: true,
  });
});

test("it is valid event by event too", async () => {
  const { accountId } = await erasedChain();
  // PostgreSQL finds no block valid that has this row, and the other reader comes as far as it.
  await forge(accountId, "action = 'forged'", 8);
  expect(await verify(accountId)).toEqual({ at: 8, reason: InvalidReason.HASH_MISMATCH });
  await forge(
    accountId,
    "erased = 1, actor = '{}', actor_id = NULL, actor_type = NULL, salts = decode(repeat('00', 16), 'hex') || substring(salts, 17)",
    6,
  );
  expect(await verify(accountId)).toEqual({ at: 6, reason: InvalidReason.ERASURE_UNRECORDED });
});

test("several records, and parts that are erased one after the other", async () => {
  const { accountId } = await erasedChain();
  const metadata = { parts: ["target", "actor"], sequence_numbers: "1,3,6" };
  await world.erase(accountId, await world.record(accountId, ERASURE, metadata));
  expect(await verify(accountId)).toEqual({ checked: 9, erased: 9 });
});

/** What the owner of the tables sets so that the actor is as `ledger.erase` leaves it. */
const NO_SALT = "salts = decode(repeat('00', 16), 'hex') || substring(salts, 17)";
const NO_ACTOR = "actor = '{}', actor_id = NULL, actor_type = NULL";
const CLEARED = `erased = erased | 1, ${NO_ACTOR}, ${NO_SALT}`;

interface Forgery {
  readonly set: string;
  readonly at: number;
  readonly reason?: InvalidReason;
}

const FORGERIES: Readonly<Record<string, Forgery>> = {
  "a part cleared without a record": { set: CLEARED, at: 5 },
  "a part cleared after the record that names others": { set: CLEARED, at: 8 },
  "another part of a recorded event": {
    set: "erased = erased | 4, diff = '{}', salts = substring(salts, 1, 32) || decode(repeat('00', 16), 'hex') || substring(salts, 49)",
    at: 2,
  },
  "a value under a bit": {
    set: `actor = '{"id":"x"}', actor_id = 'x'`,
    at: 2,
    reason: InvalidReason.DIGEST_MISMATCH,
  },
  "a salt under a bit": {
    set: "salts = decode(repeat('01', 16), 'hex') || substring(salts, 17)",
    at: 2,
    reason: InvalidReason.DIGEST_MISMATCH,
  },
  "a part cleared without its bit": {
    set: `${NO_ACTOR}, ${NO_SALT}`,
    at: 5,
    reason: InvalidReason.DIGEST_MISMATCH,
  },
  "a bit of a part that is there": {
    set: "erased = 16",
    at: 4,
    reason: InvalidReason.DIGEST_MISMATCH,
  },
};

test.for(Object.entries(FORGERIES))("found: %s", async ([, { set, at, reason }]) => {
  const { accountId } = await erasedChain();
  await forge(accountId, set, at);
  const expected = reason ?? InvalidReason.ERASURE_UNRECORDED;
  expect(await verify(accountId)).toEqual({ at, reason: expected });
});

test("an event that only looks like a record, or is older than records, says nothing", async () => {
  const { accountId, record } = await erasedChain();
  const recorded = { at: 2, reason: InvalidReason.ERASURE_UNRECORDED };
  const set = "UPDATE ledger.lifecycles SET records_from = $2 WHERE account_id = $1";
  await world.owner.query(set, [accountId, record]);
  expect(await verify(accountId)).toEqual(recorded);
  await world.owner.query(set, [accountId, record - 1]);
  expect(await verify(accountId)).toEqual({ checked: 8, erased: 4 });
  await world.owner.query("DELETE FROM ledger.lifecycles WHERE account_id = $1", [accountId]);
  expect(await verify(accountId)).toEqual(recorded);
});

test("a record that the chain has not hashed says nothing of the range before it", async () => {
  const { accountId, record } = await erasedChain();
  const metadata = JSON.stringify({ ...TWO, parts: ["actor", "context", "diff"] });
  await forge(accountId, `metadata = '${metadata}'`, record);
  const range = { fromSequence: 1n, toSequence: 6n };
  expect(await verify(accountId, range)).toEqual({
    at: 2,
    reason: InvalidReason.ERASURE_UNRECORDED,
  });
  expect(await verify(accountId)).toEqual({
    at: 2,
    reason: InvalidReason.ERASURE_UNRECORDED,
  });
});

test("events with erased parts are read as such, by every way to read them", async () => {
  const { accountId } = await erasedChain();
  const { events } = await ledger.client.listEvents({
    accountId,
    ascending: true,
    limit: 10,
    includeProof: true,
  });
  expect(events.map(({ erased }) => erased)).toEqual([0, 3, 3, 0, 0, 0, 0, 0]);
  const [, second] = events;
  expect(second).toMatchObject({
    actor: "{}",
    context: "{}",
    target: '{"id":"inv_9","type":"invoice"}',
  });
  expect(second?.proof?.salts.subarray(0, 32)).toEqual(new Uint8Array(32));
  const id = second?.id ?? "";
  const { event } = await ledger.client.getEvent({ accountId, id, includeProof: true });
  expect(event).toEqual(second);
  const read = await ledger.client.readEvents({ accountId, sequenceNumbers: [2n, 4n] });
  expect(read.events.map(({ erased }) => erased)).toEqual([3, 0]);
  const filtered = await ledger.client.listEvents({
    accountId,
    limit: 10,
    filter: { targetIds: ["inv_9"] },
  });
  expect(filtered.events.map(({ erased }) => erased)).toEqual([0, 0, 0, 0, 3, 3, 0]);
  const erasedActor = await ledger.client.listEvents({
    accountId,
    limit: 10,
    filter: { actorIds: ["u_1"] },
  });
  expect(erasedActor.events.map(({ sequenceNumber }) => sequenceNumber)).toEqual([5n]);
});
