// Guarantee: with the rights of the service, events are deleted only up to the number in the account's last
// record of retention, none of them is younger than two days or held, and the chain that is left still links
// to its head. A refused call changes nothing. Without the condition that refuses it, it goes through.

import { eventually } from "@annals/testing";
import { beforeAll, expect, test } from "vitest";
import { newAccountId } from "../../testing/append-fixtures.ts";
import {
  eventBy,
  type LifecycleFixtures,
  OLD,
  openLifecycleFixtures,
  YOUNG,
} from "../../testing/lifecycle-fixtures.ts";
import {
  entriesOfBlocks,
  entriesOfEvents,
  FRESH,
  indexSparse,
  insertEvents,
  SEALED,
  segmentsOf,
  SPARSE,
} from "../../testing/segment-fixtures.ts";
import { type Condition, withoutCondition } from "../../testing/without-condition.ts";

const RETENTION = "annals.retention";

let world: LifecycleFixtures;
beforeAll(async () => {
  world = await openLifecycleFixtures();
});

/** Records a cut, and sets it as the one to make. */
async function cut(accountId: string, through: number, said = through, action = RETENTION) {
  const record = await world.record(accountId, action, { through_sequence: said });
  await setCut(accountId, record, through);
}

const setCut = (accountId: string, record: number, through: number) =>
  world.run(
    "UPDATE ledger.lifecycles SET record_sequence = $2, through_sequence = $3 WHERE account_id = $1",
    [accountId, record, through],
  );

const left = (accountId: string) =>
  world.owner.query(
    `SELECT count(*)::int AS rows, min(sequence_number)::int AS first,
       count(*) FILTER (WHERE erased = 63)::int AS leaves, max(sequence_number) FILTER (WHERE erased = 63)::int AS last_leaf
     FROM ledger.events WHERE account_id = $1`,
    [accountId],
  );

test("events are deleted up to the cut, and their leaves up to a multiple of 256", async () => {
  const accountId = await world.newChain(300);
  await cut(accountId, 260);
  expect(await world.expire(accountId)).toBe(260);
  expect(await left(accountId)).toEqual([{ rows: 45, first: 257, leaves: 4, last_leaf: 260 }]);
  const [leaf] = await world.owner.query(
    `SELECT actor || context || diff || metadata || target AS parts, encode(salts, 'hex') AS salts,
       actor_id, target_id, key_id, octet_length(digests) AS digests
     FROM ledger.events WHERE account_id = $1 AND sequence_number = 257`,
    [accountId],
  );
  const copies = { actor_id: null, target_id: null, key_id: null };
  expect(leaf).toEqual({
    parts: "{}{}{}{}{}",
    salts: "0".repeat(160),
    digests: 160,
    ...copies,
  });
  expect(await world.expire(accountId)).toBe(0);
  await cut(accountId, 290);
  expect(await world.expire(accountId)).toBe(30);
  expect(await left(accountId)).toEqual([{ rows: 46, first: 257, leaves: 34, last_leaf: 290 }]);
});

interface Refusal {
  readonly given: () => Promise<string>;
  readonly message: RegExp;
  readonly by: Condition;
}

const YOUNGER = /an event up to \d+ is younger than two days/;
const HELD = /the hold hold_1 covers an event up to 4/;
const OTHER_CUT = /record 7 does not name the events up to/;
const CHECKED: Condition = ["expire", "named IS DISTINCT FROM through OR "];
const BY_AGE: Condition = ["expire", "AND created_at >= youngest", "AND false"];
const ACTIVE: Condition = [
  "expire",
  "IF ledger.is_active(of_account, held.id, held.released_by) THEN",
  "IF false THEN",
];

/** A chain whose events have these times, and a cut after the first four. */
async function chainOf(times: readonly string[]): Promise<string> {
  const accountId = newAccountId();
  for (const [index, time] of times.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    await world.appendTo(accountId, [eventBy(index)], time);
  }
  await world.run('SELECT ledger.begin_lifecycle($1::text COLLATE "C")', [accountId]);
  await cut(accountId, 4);
  return accountId;
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  "a cut beyond what its record says": {
    given: async () => {
      const accountId = await world.newChain();
      await cut(accountId, 4, 3);
      return accountId;
    },
    message: OTHER_CUT,
    by: CHECKED,
  },
  "a cut beyond its record": {
    given: async () => {
      const accountId = await world.newChain();
      await cut(accountId, 8);
      await world.appendTo(accountId, [eventBy(0), eventBy(0)]);
      return accountId;
    },
    message: OTHER_CUT,
    by: ["expire", "OR through >= record_number"],
  },
  "a record of something else": {
    given: async () => {
      const accountId = await world.newChain();
      await cut(accountId, 4, 4, "annals.erasure");
      return accountId;
    },
    message: /is not a record annals\.retention/,
    by: ["record_of", "AND record.action = of_action"],
  },
  "a cut that is younger than two days": {
    given: () => chainOf([OLD, OLD, OLD, YOUNG, YOUNG, YOUNG]),
    message: YOUNGER,
    by: BY_AGE,
  },
  "a young event before an old one": {
    given: () => chainOf([OLD, YOUNG, OLD, OLD, OLD, OLD]),
    message: YOUNGER,
    by: ["expire", " OR sequence_number > deleted AND sequence_number <= to_number"],
  },
  "a held event": {
    given: async () => {
      const accountId = await world.newChain();
      await world.hold(accountId, { from: 4, to: 5, actorId: "u_9" });
      await cut(accountId, 4);
      return accountId;
    },
    message: HELD,
    by: ACTIVE,
  },
  "a hold whose release is not a record": {
    given: async () => {
      const accountId = await world.newChain();
      await world.hold(accountId, { releasedBy: 6 });
      await cut(accountId, 4);
      return accountId;
    },
    message: /event 6 of .* is not a record annals\.hold/,
    by: ACTIVE,
  },
  "what a release names that is not a record": {
    given: async () => {
      const accountId = await world.newChain();
      await world.hold(accountId, { from: 5, releasedBy: 2 });
      await cut(accountId, 4);
      return accountId;
    },
    message: /event 2 of .* is not a record annals\.hold/,
    by: [
      "expire",
      "IF NOT ledger.is_active(of_account, held.id, held.released_by) THEN",
      "IF false THEN",
    ],
  },
};

test.for(Object.entries(REFUSALS))("refused: %s", async ([, { given, message, by }]) => {
  const accountId = await given();
  const before = await world.everything();
  await expect(world.expire(accountId)).rejects.toThrow(message);
  expect(await world.everything()).toEqual(before);
  await withoutCondition(world.owner, by, () => world.expire(accountId));
});

test("refused: the numbers of another account's cut", async () => {
  const [other, accountId] = [await world.newChain(), await world.newChain(20)];
  await cut(other, 4);
  await setCut(accountId, 7, 4);
  const before = await world.everything();
  await expect(world.expire(accountId)).rejects.toThrow(/is not a record annals\.retention/);
  expect(await world.everything()).toEqual(before);
});

test("deleted, because a hold begins behind the cut", async () => {
  const accountId = await world.newChain();
  await world.hold(accountId, { from: 5 });
  await cut(accountId, 4);
  expect(await world.expire(accountId)).toBe(4);
});

/** A hold of all events, whose release is the last of so many events. */
async function released(events: number): Promise<string> {
  const accountId = await world.newChain(events - 1);
  const said = { hold: "hold_1", state: "released" };
  const releasedBy = await world.record(accountId, "annals.hold", said);
  await world.hold(accountId, { releasedBy });
  await world.appendTo(accountId, [eventBy(0), eventBy(1), eventBy(2)]);
  return accountId;
}

test.for([
  [20, 21],
  // The event before it is gone, and it is the first one that stays.
  [257, 256],
] as const)(
  "a release counts, event %i, after retention has deleted up to %i",
  async ([release, through]) => {
    const accountId = await released(release);
    const seen = "UPDATE ledger.holds SET release_seen = true WHERE account_id = $1";
    await expect(world.run(seen, [accountId])).rejects.toThrow(/permission denied/);
    await cut(accountId, through);
    expect(await world.expire(accountId)).toBe(through);
    await world.appendTo(accountId, [eventBy(0)]);
    await cut(accountId, release + 2);
    const reads: Condition = ["expire", "AND NOT release_seen AND from_", "AND from_"];
    await withoutCondition(world.owner, reads, () =>
      expect(world.expire(accountId)).rejects.toThrow("is not a record annals.hold"),
    );
    expect(await world.expire(accountId)).toBe(release + 2 - through);
    const named = { parts: ["actor"], sequence_numbers: String(release + 3) };
    const record = await world.record(accountId, "annals.erasure", named);
    expect(await world.erase(accountId, record)).toBe(1);
  },
);

const WAITING =
  "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/** Deletes while another transaction has a lock, and meanwhile takes the row of the account. */
async function expireBehind(accountId: string, lock: string) {
  const call = (text: string) =>
    ({ name: "test.lock", text, route: "local", customPlan: true }) as const;
  const { expiring } = await world.pool.transaction(async (transaction) => {
    await transaction.run(call(lock), [accountId]);
    const begun = world.expire(accountId);
    await eventually("it waits", async () => (await world.owner.query(WAITING)).length > 0);
    const row = "SELECT FROM ledger.lifecycles WHERE account_id = $1 FOR UPDATE NOWAIT";
    await transaction.run(call(row), [accountId]);
    return { expiring: begun };
  });
  return expiring;
}

test("a record that has the head is not waited for with the row that it needs next", async () => {
  const accountId = await world.newChain();
  await cut(accountId, 4);
  const head = "SELECT FROM ledger.heads WHERE account_id = $1 FOR UPDATE";
  expect(await expireBehind(accountId, head)).toBe(4);
});

test("a chunk goes at a time, and no value stays in the index without an event", async () => {
  const accountId = newAccountId();
  const events = (count: number, who: number) => Array.from({ length: count }, () => eventBy(who));
  await world.appendTo(accountId, [...events(4_096, 1), ...events(2_048, 2), ...events(2_048, 3)]);
  await world.run('SELECT ledger.begin_lifecycle($1::text COLLATE "C")', [accountId]);
  await world.run("SELECT ledger.index_segment($1, 0)", [accountId]);
  await world.run("SELECT ledger.index_segment($1, 4096)", [accountId]);
  await cut(accountId, 6_144);
  expect(await world.expire(accountId)).toBe(4_096);
  expect(await world.expire(accountId)).toBe(2_048);
  const right = await entriesOfEvents(world.owner, accountId, 0, 2 * FRESH);
  expect(await entriesOfBlocks(world.owner, accountId)).toEqual(right);
  expect(right.filter(([field]) => field === "actor_id").map(([, key]) => key)).toEqual(["u_3"]);
  expect(await left(accountId)).toMatchObject([{ first: 6_145, leaves: 0 }]);
});

test("a sealed segment that the cut enters becomes fresh ones, of what is left", async () => {
  const accountId = newAccountId();
  const values = "'invoice.read', 'u_' || (number - 1) / 1000, 'user', 'inv_9', 'invoice', 0";
  await insertEvents(world.owner, accountId, SEALED / SPARSE, { values, every: SPARSE });
  await world.run('SELECT ledger.begin_lifecycle($1::text COLLATE "C")', [accountId]);
  await indexSparse(world.owner, accountId, 0, SEALED);
  await world.run("SELECT ledger.seal_segment($1, 0)", [accountId]);
  expect(await segmentsOf(world.owner, accountId)).toHaveLength(17);
  const said = { parts: ["actor"], sequence_numbers: "65536" };
  await world.erase(accountId, await world.record(accountId, "annals.erasure", said));
  await cut(accountId, 5_500);
  // What the index of the segment waits for is not waited for with the row that records need.
  expect(await expireBehind(accountId, "SELECT ledger.unindex($1)")).toBe(4_096);
  expect(await world.expire(accountId)).toBe(1_404);
  expect(await segmentsOf(world.owner, accountId)).toHaveLength(16);
  const right = await entriesOfEvents(world.owner, accountId, 0, SEALED);
  expect(await entriesOfBlocks(world.owner, accountId)).toEqual(right);
  expect(right.map(([, key]) => key)).not.toContain("u_4");
});
