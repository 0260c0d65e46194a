// Guarantee: what the export service reports of its archives is recorded once, as what is erased from stored
// events is: in batches, by records of the erasure that name nothing else. It does not matter where a call
// breaks off, how often it is repeated, or that two come at once. What a hold covers is counted, and no
// record names it. Nothing is taken for an erasure that does not wait for the export service.

import { type JsonObject, Erasures } from "@annals/event";
import type { Pool } from "@annals/postgres";
import { ErasureCopy } from "@annals/proto/ledger";
import { beforeAll, describe, expect, test } from "vitest";
import { BATCH } from "../append/erase-found.ts";
import { MAX_EVENTS } from "../domain/erasure.ts";
import { openErasures } from "../testing/erasure-fixtures.ts";
import {
  type LifecycleFixtures,
  OLD,
  openLifecycleFixtures,
} from "../testing/lifecycle-fixtures.ts";
import { openLedger, type TestLedger } from "../testing/test-ledger.ts";

const BOTH = { exports: true, webhooks: true };
const DELETED = 600;
const EVENTS = 612;
/** The events of `u_1`, which retention has deleted: all but leaves of 513 to 600. */
const MATCHES = Array.from({ length: DELETED / 3 }, (_, at) => 3 * at + 2);

let world: LifecycleFixtures;
let erasures: ReturnType<typeof openErasures>;
let ledger: TestLedger;
beforeAll(async () => {
  world = await openLifecycleFixtures();
  erasures = openErasures(world);
});

interface Open {
  readonly accountId: string;
  readonly id: string;
}

/** An erasure that waits for the export service, of an account with deleted events. */
async function openErasure(through = DELETED, events = EVENTS): Promise<Open> {
  ledger = openLedger(world.owner);
  const accountId = await world.newChain(events);
  if (through > 0) await world.deleteThrough(accountId, through);
  const id = await erasures.ask(accountId, { actorId: "u_1" });
  await erasures.newReplica(() => {}, BOTH).pass();
  return { accountId, id };
}

const report = (
  { accountId, id }: Open,
  sequences: readonly number[],
  isLast = false,
  to = ledger,
) =>
  to.client.reportErasureMatches({
    accountId,
    erasureId: id,
    isLast,
    sequences: sequences.map(BigInt),
  });

const recorded = async ({ accountId }: Open) =>
  (await erasures.recordedAndErased(accountId)).records;

/** What the records of the chain say, to the verifiers. */
async function taken({ accountId }: Open, erasedNumbers: readonly number[]): Promise<Erasures> {
  const seen = new Erasures();
  for (const sequenceNumber of erasedNumbers)
    seen.take({ sequenceNumber, erased: ["actor", "metadata"] });
  const rows = await world.owner.query<{ n: number; metadata: string }>(
    `SELECT sequence_number::int AS n, metadata FROM ledger.events
     WHERE account_id = $1 AND action = 'annals.erasure' ORDER BY 1`,
    [accountId],
  );
  for (const { metadata, n } of rows) {
    const said: JsonObject = JSON.parse(metadata);
    seen.take({ sequenceNumber: n, record: { action: "annals.erasure", metadata: said } });
  }
  return seen;
}

test("deleted events are recorded in batches, beside the stored ones", async () => {
  const many = Array.from({ length: DELETED }, (_, at) => at + 1);
  const open = await openErasure();
  const { accountId, id } = open;
  const stored = [602, 605, 608, 611];
  expect(await recorded(open)).toEqual([stored]);
  expect((await taken(open, MATCHES)).unrecorded).toMatchObject({ sequenceNumber: 2 });
  // The caller decides what matches: the ledger has nothing left to compare.
  await report(open, many, true);
  expect(await recorded(open)).toEqual([
    stored,
    many.slice(0, BATCH),
    many.slice(BATCH, 2 * BATCH),
    many.slice(2 * BATCH),
  ]);
  expect((await taken(open, [...many, ...stored])).unrecorded).toBeUndefined();
  const last = EVENTS + 1 + 4;
  expect(await erasures.request(accountId)).toMatchObject({
    erased: "604",
    held: "0",
    last_record: String(last),
    status: "running",
  });
  const copy = ErasureCopy.EXPORTS;
  const { erasures: listed } = await ledger.client.listOpenErasures({ copy, limit: 1_000 });
  expect(listed.find((one) => one.id === id)?.lastRecord).toBe(BigInt(last));
  const verified = await ledger.client.verifyChain({ accountId });
  expect(verified).toMatchObject({ valid: true });
  await ledger.client.confirmErasure({ accountId, copy, id });
  await ledger.client.confirmErasure({ accountId, copy: ErasureCopy.WEBHOOKS, id });
  await erasures.newReplica(() => {}, BOTH).pass();
  expect(await erasures.request(accountId)).toMatchObject({ status: "completed" });
});

test("a repeated report changes nothing, and the last one ends it", async () => {
  const open = await openErasure();
  const [first, second] = [MATCHES.slice(0, 20), MATCHES.slice(20, 30)];
  await report(open, first);
  await report(open, first);
  await report(open, [...first, ...second]);
  const [, ...records] = await recorded(open);
  expect(records).toEqual([first, second]);
  await report(open, [], true);
  await report(open, MATCHES, true);
  expect((await recorded(open)).slice(1)).toEqual(records);
  expect(await erasures.request(open.accountId)).toMatchObject({ erased: "34" });
});

test.for([
  "get-reported-erasure",
  "lock-head-for-record",
  "list-erasable",
  "list-deleted-matches",
  "append-events",
  "erase",
  "advance-report",
])("a ledger that dies at %s leaves all or nothing of a batch", async (step) => {
  const open = await openErasure();
  let reached = 0;
  const dying = openLedger(world.owner, undefined, (pool) =>
    beforeEach(pool, (name) => {
      if (name !== `ledger.${step}`) return;
      reached += 1;
      // The first batch is complete, and the second is not. The row is read before the first one, too.
      if (reached === (step === "get-reported-erasure" ? 3 : 2)) throw new Error("killed");
    }),
  );
  const many = Array.from({ length: BATCH + 50 }, (_, at) => at + 1);
  await expect(report(open, many, true, dying)).rejects.toThrow();
  expect((await recorded(open)).slice(1)).toEqual([many.slice(0, BATCH)]);
  expect(await erasures.request(open.accountId)).toMatchObject({ erased: "254" });
  await report(open, many, true);
  expect((await recorded(open)).slice(1)).toEqual([many.slice(0, BATCH), many.slice(BATCH)]);
  expect(await erasures.request(open.accountId)).toMatchObject({ erased: "304" });
});

function beforeEach(pool: Pool, before: (name: string) => void): Pool {
  return {
    ...pool,
    run: (statement, params) => {
      before(statement.name);
      return pool.run(statement, params);
    },
    transaction: (work, ...rest) =>
      pool.transaction(
        (one) =>
          work({
            run: (statement, params) => {
              before(statement.name);
              return one.run(statement, params);
            },
          }),
        ...rest,
      ),
  };
}

test("two ledgers that get the same report record each number once", async () => {
  const open = await openErasure();
  const many = Array.from({ length: BATCH + 50 }, (_, at) => at + 1);
  const ledgers = [openLedger(world.owner), openLedger(world.owner)];
  await Promise.all(ledgers.map((one) => report(open, many, true, one)));
  const numbers = (await recorded(open)).slice(1).flat();
  expect(numbers).toEqual(many);
  expect(await erasures.request(open.accountId)).toMatchObject({ erased: "304" });
});

describe("a hold", () => {
  test("keeps deleted events of its range, whatever its actor, and they are counted", async () => {
    const open = await openErasure();
    await world.hold(open.accountId, { from: 5, to: 8, actorId: "u_7" });
    await report(open, MATCHES.slice(0, 4), true);
    expect((await recorded(open)).slice(1)).toEqual([[2, 11]]);
    expect(await erasures.request(open.accountId)).toMatchObject({ erased: "6", held: "2" });
  });

  test("on all of a report leaves no record, and what was reported counts as such", async () => {
    const open = await openErasure();
    await world.hold(open.accountId);
    await report(open, MATCHES.slice(0, 4));
    await world.owner.query("DELETE FROM ledger.holds WHERE account_id = $1", [open.accountId]);
    await report(open, MATCHES.slice(0, 4));
    expect((await recorded(open)).slice(1)).toEqual([]);
    expect(await erasures.request(open.accountId)).toMatchObject({ erased: "4", held: "4" });
  });

  test("on a stored event is counted by the batch that has met it", async () => {
    ledger = openLedger(world.owner);
    const accountId = await world.newChain();
    await world.hold(accountId, { from: 5, to: 5 });
    const id = await erasures.ask(accountId, { actorId: "u_1" });
    await erasures.newReplica(() => {}, BOTH).pass();
    await report({ accountId, id }, [2, 5], true);
    expect(await recorded({ accountId, id })).toEqual([[2]]);
    expect(await erasures.request(accountId)).toMatchObject({ erased: "1", held: "1" });
  });

  test("on a stored event that was released since lets it be erased", async () => {
    const open = await openErasure(0, 6);
    await world.owner.query(
      "UPDATE ledger.events SET erased = 0, actor_id = 'u_1' WHERE account_id = $1 AND sequence_number = 5",
      [open.accountId],
    );
    await world.owner.query("UPDATE ledger.erasures SET vacuumed_at = now()");
    // Another actor's, one that is erased, and the one of the actor.
    await report(open, [1, 2, 5], true);
    expect(await recorded(open)).toEqual([[2, 5], [5]]);
    expect(await erasures.request(open.accountId)).toMatchObject({
      erased: "3",
      vacuumed_at: null,
    });
  });
});

test("no record is named while its leaf is there", async () => {
  ledger = openLedger(world.owner);
  const accountId = await world.newChain(2);
  await erasures.ask(accountId, { actorId: "u_0" });
  await erasures.newReplica(() => {}).pass();
  await world.owner.query("UPDATE ledger.events SET created_at = $2 WHERE account_id = $1", [
    accountId,
    OLD,
  ]);
  await world.deleteThrough(accountId, 3);
  await world.owner.query("DELETE FROM ledger.erasures WHERE account_id = $1", [accountId]);
  const id = await erasures.ask(accountId, { actorId: "key_1" });
  await erasures.newReplica(() => {}, BOTH).pass();
  await report({ accountId, id }, [2, 3], true);
  expect((await recorded({ accountId, id })).at(-1)).toEqual([2]);
});

describe("refused, and nothing is recorded:", () => {
  let open: Open;
  beforeAll(async () => {
    open = await openErasure();
  });

  test.for<[string, readonly number[], RegExp]>([
    ["a number behind the end of the erasure", [EVENTS + 2], /sequences: must not be above 613/],
    ["zero", [0], /sequences: must be ascending, and positive/],
    ["a negative number", [-1], /sequences: must be ascending/],
    ["a number twice", [2, 2], /sequences: must be ascending/],
    ["numbers in another order", [5, 2], /sequences: must be ascending/],
    ["a number beyond those of JavaScript", [Number.MAX_SAFE_INTEGER + 1], /must be ascending/],
    [
      "too many",
      Array.from({ length: 10_001 }, (_, at) => at + 1),
      /sequences: must not be more than 10000/,
    ],
  ])("%s", async ([, numbers, message]) => {
    await expect(report(open, numbers, true)).rejects.toThrow(message);
    expect(await recorded(open)).toHaveLength(1);
  });

  test.for<[string, () => Open, RegExp]>([
    ["another account's", () => ({ ...open, accountId: "acct_other" }), /not_found/],
    ["an id that none has", () => ({ ...open, id: "era_0" }), /not_found/],
    ["text that is no id", () => ({ ...open, id: "exp_1" }), /not_found/],
    ["no account", () => ({ ...open, accountId: "" }), /account_id/],
    ["no erasure", () => ({ ...open, id: "" }), /erasure_id/],
  ])("%s", async ([, given, message]) => {
    await expect(report(given(), [2], true)).rejects.toThrow(message);
    expect(await recorded(open)).toHaveLength(1);
  });

  test("more than an erasure may have", async () => {
    const { accountId } = open;
    const set = "UPDATE ledger.erasures SET erased = $2 WHERE account_id = $1";
    await world.owner.query(set, [accountId, MAX_EVENTS - 1]);
    await expect(report(open, [2, 5])).rejects.toThrow(/sequences: are more than the 1000000/);
    expect(await recorded(open)).toHaveLength(1);
    await report(open, [2]);
    expect(await recorded(open)).toHaveLength(2);
  });

  test("an erasure that does not wait for the export service", async () => {
    const waiting = await openErasure();
    const { accountId, id } = waiting;
    const becomes = async (set: string) => {
      const text = `UPDATE ledger.erasures SET ${set} WHERE account_id = $1`;
      await world.owner.query(text, [accountId]);
      for (const isLast of [false, true])
        await expect(report(waiting, [2], isLast)).rejects.toThrow(/erasure_id: is \w+, and does/);
      expect(await recorded(waiting)).toHaveLength(1);
    };
    await becomes("status = 'pending'");
    await becomes("status = 'running', done_at = NULL");
    await becomes("done_at = now(), exports_cleared_at = now()");
    await becomes("status = 'completed', selector = NULL, selector_sha256 = ''");
    await becomes("status = 'cancelled'");
    expect(id).toBe(waiting.id);
  });

  test("numbers for an erasure of one event, which ends without any", async () => {
    ledger = openLedger(world.owner);
    const accountId = await world.newChain();
    const [row] = await world.owner.query(
      "SELECT id FROM ledger.events WHERE account_id = $1 AND sequence_number = 3",
      [accountId],
    );
    const id = await erasures.ask(accountId, { eventId: String(row?.["id"]) });
    await erasures.newReplica(() => {}, BOTH).pass();
    await expect(report({ accountId, id }, [3])).rejects.toThrow(/sequences: must be empty/);
    await report({ accountId, id }, [], true);
    expect(await recorded({ accountId, id })).toEqual([[3]]);
  });
});
