// Guarantee: with the rights of the service, no call erases an event unless a record of the account's own
// chain names it and no hold covers it. A refused call changes nothing. Without the condition that refuses
// it, the same call goes through.

import { beforeAll, expect, test } from "vitest";
import { moveHeadBack } from "../../testing/append-fixtures.ts";
import {
  eventBy,
  type LifecycleFixtures,
  openLifecycleFixtures,
} from "../../testing/lifecycle-fixtures.ts";
import { type Condition, withoutCondition } from "../../testing/without-condition.ts";

const [ERASURE, HOLD] = ["annals.erasure", "annals.hold"];
const TWO = { parts: ["actor"], sequence_numbers: "2-3" };

let world: LifecycleFixtures;
beforeAll(async () => {
  world = await openLifecycleFixtures();
});

interface Chain {
  readonly accountId: string;
  /** The number that the call names. */
  readonly record: number;
}

interface Refusal {
  readonly given: () => Promise<Chain>;
  readonly message: RegExp;
  /** What refuses it; absent where several conditions do. */
  readonly by?: Condition;
}

/** A chain of `count` events, and an event that may be a record. */
async function chainWith(metadata: object = TWO, action = ERASURE, count = 6): Promise<Chain> {
  const accountId = await world.newChain(count);
  return { accountId, record: await world.record(accountId, action, metadata) };
}

/** The same with one more event. */
async function continued(chain: Promise<Chain>): Promise<Chain> {
  const { accountId, record } = await chain;
  await world.appendTo(accountId, [eventBy(0)]);
  return { accountId, record };
}

/** The same after the owner has changed the event with the number of the record, or one beside it. */
async function forged(chain: Promise<Chain>, set: string, beside = 0): Promise<Chain> {
  const { accountId, record } = await chain;
  const text = `UPDATE ledger.events SET ${set} WHERE account_id = $1 AND sequence_number = $2`;
  await world.owner.query(text, [accountId, record + beside]);
  return { accountId, record };
}

async function held(hold: Parameters<LifecycleFixtures["hold"]>[1]): Promise<Chain> {
  const chain = await chainWith();
  await world.hold(chain.accountId, hold);
  return chain;
}

/** A record of events that retention has deleted, all but leaves of 257 to 260, and a hold of one actor. */
async function deleted(numbers: string, hold: Parameters<LifecycleFixtures["hold"]>[1] = {}) {
  const accountId = await world.newChain(300);
  await world.deleteThrough(accountId, 260);
  const record = await world.record(accountId, ERASURE, { ...TWO, sequence_numbers: numbers });
  await world.hold(accountId, { actorId: "u_9", ...hold });
  return { accountId, record };
}

/** A hold whose release is an event with this metadata. */
async function releasedBy(metadata: object, action = HOLD): Promise<Chain> {
  const chain = await chainWith();
  const release = await world.record(chain.accountId, action, metadata);
  await world.hold(chain.accountId, { releasedBy: release });
  return chain;
}

/**
 * The record of one account as an event of another, whose head and links are made to fit: all with the rights
 * of the service.
 */
async function copied(): Promise<Chain> {
  const [from, accountId] = [await chainWith(), await world.newChain()];
  await world.run(
    `INSERT INTO ledger.events (
       account_id, sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
       actor, context, diff, metadata, target, salts)
     SELECT $2, sequence_number, id, action, occurred_at, received_at, created_at, digests,
       (SELECT hash FROM ledger.events WHERE account_id = $2 AND sequence_number = $3 - 1), hash,
       actor, context, diff, metadata, target, salts
     FROM ledger.events WHERE account_id = $1 AND sequence_number = $3`,
    [from.accountId, accountId, from.record],
  );
  await world.run(
    `UPDATE ledger.heads SET sequence_number = $2::bigint, hash = (
       SELECT hash FROM ledger.events WHERE account_id = $1 AND sequence_number = $2::bigint)
     WHERE account_id = $1`,
    [accountId, from.record],
  );
  return { accountId, record: from.record };
}

const NOT_A_RECORD = /is not a record annals\.erasure/;
const NAMES_WRONG = /names no part, no event, too many events, or events that follow it/;
const HELD = /names an event that the hold hold_1 covers/;

const HASHED: Condition = ["record_of", "'UTF8')) = record.hash", "'UTF8')) IS NOT NULL"];
const LINKED: Condition = ["record_of", "record.hash = coalesce(", "'' <> coalesce("];
const SINCE: Condition = [
  "record_of",
  "AND of_number > (SELECT records_from FROM ledger.lifecycles WHERE account_id = of_account)",
];
const ACTIVE: Condition = [
  "erase",
  "IF ledger.is_active(of_account, held.id, held.released_by) THEN",
  "IF false THEN",
];

const REFUSALS: Readonly<Record<string, Refusal>> = {
  "an ordinary event": {
    given: () => chainWith(TWO, "invoice.erasure"),
    message: NOT_A_RECORD,
    by: ["record_of", "AND record.action = of_action"],
  },
  "an event whose action became that of a record": {
    given: () => forged(chainWith(TWO, "invoice.erasure"), `action = '${ERASURE}'`),
    message: NOT_A_RECORD,
    by: HASHED,
  },
  "a payload that the chain has not hashed": {
    given: () =>
      forged(
        chainWith({ parts: ["actor"], sequence_numbers: "1" }),
        `metadata = '${JSON.stringify(TWO)}'`,
      ),
    message: NOT_A_RECORD,
    by: ["record_of", "= substring(record.digests, 97, 32)", "IS NOT NULL"],
  },
  "a record beyond the head": {
    given: async () => {
      const chain = await continued(chainWith());
      await moveHeadBack(world.owner, chain.accountId, chain.record - 1);
      return chain;
    },
    message: NOT_A_RECORD,
    by: ["record_of", "AND of_number <= head.sequence_number"],
  },
  "a record that is not linked to the event before it": {
    given: () => forged(chainWith(), "hash = sha256(hash)", -1),
    message: NOT_A_RECORD,
    by: ["record_of", "record.previous_hash = coalesce(", "'' <> coalesce("],
  },
  "a record that the event after it is not linked to": {
    given: () => forged(continued(chainWith()), "previous_hash = sha256(hash)", 1),
    message: NOT_A_RECORD,
    by: LINKED,
  },
  "a last record with another hash than the head": {
    given: async () => {
      const chain = await chainWith();
      const text = "UPDATE ledger.heads SET hash = sha256(hash) WHERE account_id = $1";
      await world.owner.query(text, [chain.accountId]);
      return chain;
    },
    message: NOT_A_RECORD,
    by: LINKED,
  },
  "the number of another account's record": {
    given: async () => {
      const { record } = await chainWith();
      return { accountId: await world.newChain(record), record };
    },
    message: NOT_A_RECORD,
  },
  "a copy of another account's record": { given: copied, message: NOT_A_RECORD, by: HASHED },
  "a record from before records existed": {
    given: async () => {
      const chain = await chainWith();
      const text = "UPDATE ledger.lifecycles SET records_from = $2 WHERE account_id = $1";
      await world.owner.query(text, [chain.accountId, chain.record]);
      return chain;
    },
    message: NOT_A_RECORD,
    by: SINCE,
  },
  "a record of an account that has none yet": {
    given: async () => {
      const chain = await chainWith();
      const text = "DELETE FROM ledger.lifecycles WHERE account_id = $1";
      await world.owner.query(text, [chain.accountId]);
      return chain;
    },
    message: NOT_A_RECORD,
    by: SINCE,
  },
  "a record with an erased part": {
    given: () => forged(chainWith(), "erased = 1"),
    message: NOT_A_RECORD,
    by: ["record_of", "AND record.erased = 0"],
  },
  "a record that names an event after it": {
    given: () => continued(chainWith({ parts: ["actor"], sequence_numbers: "2,8" })),
    message: NAMES_WRONG,
    by: ["erase", " OR max(last) >= of_record"],
  },
  "a record that names 251 events": {
    given: () => chainWith({ parts: ["actor"], sequence_numbers: "1-200,210-260" }, ERASURE, 300),
    message: NAMES_WRONG,
    by: ["erase", "sum(last::numeric - first + 1) > most OR "],
  },
  "a range that ends before it begins": {
    given: () => chainWith({ parts: ["actor"], sequence_numbers: "1-280,290-20" }, ERASURE, 300),
    message: NAMES_WRONG,
    by: ["erase", "min(last - first) < 0 OR "],
  },
  "a record that names no part": {
    given: () => chainWith({ parts: ["hash"], sequence_numbers: "2" }),
    message: NAMES_WRONG,
    by: ["erase", "named IS NULL OR "],
  },
  "a record as what is erased": {
    given: async () => {
      const { accountId, record } = await chainWith();
      const metadata = { parts: ["metadata"], sequence_numbers: String(record) };
      return { accountId, record: await world.record(accountId, ERASURE, metadata) };
    },
    message: /names a record, which cannot be erased/,
    by: ["erase", "AND action IN (", "AND false AND action IN ("],
  },
  "a held event": { given: () => held({ from: 3, to: 3 }), message: HELD, by: ACTIVE },
  "an event of a held actor": { given: () => held({ actorId: "u_2" }), message: HELD, by: ACTIVE },
  "an event that an open hold covers": {
    given: () => held({ from: 2, to: null }),
    message: HELD,
    by: ACTIVE,
  },
  "a deleted event, whose actor is gone, in the range of a hold": {
    given: () => deleted("2-3"),
    message: HELD,
    by: ["erase", "actor_id IS NULL OR NOT EXISTS (", "actor_id IS NULL OR EXISTS ("],
  },
  "a deleted event that has left its leaf, in the range of a hold": {
    given: () => deleted("258"),
    message: HELD,
    by: ["erase", " AND events.erased & 32 <> 32"],
  },
  "a held event whose release is not a record": {
    given: () => releasedBy({ hold: "hold_1", state: "released" }, "invoice.release"),
    message: /event 8 of .* is not a record annals\.hold/,
    by: ["record_of", "AND record.action = of_action"],
  },
  "a held event whose release is the record that placed the hold": {
    given: () => releasedBy({ hold: "hold_1", state: "placed" }),
    message: HELD,
    by: ["is_active", " OR said->>'state' IS DISTINCT FROM 'released'"],
  },
  "a held event whose release is that of another hold": {
    given: () => releasedBy({ hold: "hold_2", state: "released" }),
    message: HELD,
    by: ["is_active", "said->>'hold' IS DISTINCT FROM hold_id OR "],
  },
};

test.for(Object.entries(REFUSALS))("refused: %s", async ([, { given, message, by }]) => {
  const { accountId, record } = await given();
  const before = await world.everything();
  await expect(world.erase(accountId, record)).rejects.toThrow(message);
  expect(await world.everything()).toEqual(before);
  if (by) await withoutCondition(world.owner, by, () => world.erase(accountId, record));
});

test.for<[string, () => Promise<Chain>]>([
  ["a hold is of other events", () => held({ from: 4 })],
  ["a hold is of another actor", () => held({ actorId: "u_0" })],
  ["the release of its hold has a record", () => releasedBy({ hold: "hold_1", state: "released" })],
])("erased, because %s", async ([, given]) => {
  const { accountId, record } = await given();
  expect(await world.erase(accountId, record)).toBe(2);
});

test.for<[string, object, RegExp]>([
  [
    "a text that is not a list of numbers",
    { parts: ["actor"], sequence_numbers: "2;3" },
    /invalid input syntax for type bigint/,
  ],
  ["no numbers", { parts: ["actor"] }, NAMES_WRONG],
  ["parts that are not a list", { parts: "actor", sequence_numbers: "2" }, /from a scalar/],
  [
    "a number beyond all numbers",
    { parts: ["actor"], sequence_numbers: "1-99999999999999999999" },
    /out of range for type bigint/,
  ],
])("refused: a record with %s", async ([, metadata, message]) => {
  const { accountId, record } = await chainWith(metadata);
  const before = await world.everything();
  await expect(world.erase(accountId, record)).rejects.toThrow(message);
  expect(await world.everything()).toEqual(before);
});
