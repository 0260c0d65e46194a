// Guarantee: what the export service reports of its archives is recorded once, as what is erased from stored
// events is: in batches, by records of the erasure that name nothing else. It does not matter where a call
// breaks off, how often it is repeated, or that two come at once. What a hold covers is counted, and no
// record names it.

import { systemClock } from "@annals/contract";
import { type JsonObject, Erasures } from "@annals/event";
import type { Pool } from "@annals/postgres";
import { ErasureCopy } from "@annals/proto/ledger";
import { beforeAll, describe, expect, test } from "vitest";
import { BATCH } from "../erase-found.ts";
import {
  type LifecycleFixtures,
  OLD,
  openLifecycleFixtures,
} from "../../testing/lifecycle-fixtures.ts";
import {
  DELETED,
  EVENTS,
  type MatchFixtures,
  openMatches,
  type Waiting,
} from "../../testing/match-fixtures.ts";
import { openLedger } from "../../testing/test-ledger.ts";

/** Behind every event: a report that is the last one. */
const ALL = 10_000;

/** The events of `u_1`, which retention has deleted: all but leaves of 513 to 600. */
const MATCHES = Array.from({ length: DELETED / 3 }, (_, at) => 3 * at + 2);

let world: LifecycleFixtures;
let matches: MatchFixtures;
beforeAll(async () => {
  world = await openLifecycleFixtures();
  matches = openMatches(world);
});

/** What the records of the chain say, to the verifiers. */
async function taken({ accountId }: Waiting, erasedNumbers: readonly number[]): Promise<Erasures> {
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
  const open = await matches.waiting();
  const { accountId, id } = open;
  const ledger = openLedger(world.owner, systemClock());
  const stored = [602, 605, 608, 611];
  expect(await matches.recorded(open)).toEqual([stored]);
  expect((await taken(open, MATCHES)).unrecorded).toMatchObject({ sequenceNumber: 2 });
  // The caller decides what matches: the ledger has nothing left to compare.
  await matches.report(open, many, ALL);
  expect(await matches.recorded(open)).toEqual([
    stored,
    many.slice(0, BATCH),
    many.slice(BATCH, 2 * BATCH),
    many.slice(2 * BATCH),
  ]);
  expect((await taken(open, [...many, ...stored])).unrecorded).toBeUndefined();
  const last = EVENTS + 1 + 4;
  expect(await matches.request(accountId)).toMatchObject({
    erased: "604",
    held: "0",
    last_record: String(last),
    status: "running",
  });
  const copy = ErasureCopy.EXPORTS;
  const { erasures: listed } = await ledger.client.listOpenErasures({ copy, limit: 1_000 });
  expect(listed.find((one) => one.id === id)?.lastRecord).toBe(BigInt(last));
  const verified = await ledger.client.verifyChain({ accountId, fromSequence: 602n });
  expect(verified).toMatchObject({ valid: true, erasedParts: 8n });
  await ledger.client.confirmErasure({ accountId, copy, id });
  await ledger.client.confirmErasure({ accountId, copy: ErasureCopy.WEBHOOKS, id });
  await matches.erase();
  expect(await matches.request(accountId)).toMatchObject({ status: "completed" });
});

test("a repeated report changes nothing, and the last one ends it", async () => {
  const open = await matches.waiting();
  const [first, second] = [MATCHES.slice(0, 20), MATCHES.slice(20, 30)];
  await matches.report(open, first);
  await matches.report(open, first);
  await matches.report(open, [...first, ...second]);
  const [, ...records] = await matches.recorded(open);
  expect(records).toEqual([first, second]);
  await matches.report(open, [], ALL);
  await matches.report(open, MATCHES, ALL);
  expect((await matches.recorded(open)).slice(1)).toEqual(records);
  expect(await matches.request(open.accountId)).toMatchObject({ erased: "34" });
});

test("a report says how far it is, with or without numbers, and that is kept", async () => {
  const open = await matches.waiting();
  const ledger = openLedger(world.owner, systemClock());
  const through = async () => {
    const request = { copy: ErasureCopy.EXPORTS, limit: 1_000 };
    const { erasures: listed } = await ledger.client.listOpenErasures(request);
    return listed.find(({ id }) => id === open.id)?.archives?.reportedThrough;
  };
  await matches.report(open, [], 100);
  expect(await through()).toBe(100n);
  await matches.report(open, [], 50);
  await matches.report(open, [101], 50);
  expect(await through()).toBe(101n);
  // Numbers up to there were in an earlier report.
  await matches.report(open, [2, 200], 300);
  expect(await through()).toBe(300n);
  expect((await matches.recorded(open)).slice(1)).toEqual([[101], [200]]);
  await expect(matches.report(open, [], -1)).rejects.toThrow("through");
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
  const open = await matches.waiting();
  let reached = 0;
  const dying = openLedger(world.owner, systemClock(), (pool) =>
    beforeEach(pool, (name) => {
      if (name !== `ledger.${step}`) return;
      reached += 1;
      // The first batch is complete, and the second is not. The row is read before the first one, too.
      if (reached === (step === "get-reported-erasure" ? 3 : 2)) throw new Error("killed");
    }),
  );
  const many = Array.from({ length: BATCH + 50 }, (_, at) => at + 1);
  await expect(matches.report(open, many, ALL, dying)).rejects.toThrow("[internal]");
  expect((await matches.recorded(open)).slice(1)).toEqual([many.slice(0, BATCH)]);
  expect(await matches.request(open.accountId)).toMatchObject({ erased: "254" });
  await matches.report(open, many, ALL);
  expect((await matches.recorded(open)).slice(1)).toEqual([
    many.slice(0, BATCH),
    many.slice(BATCH),
  ]);
  expect(await matches.request(open.accountId)).toMatchObject({ erased: "304" });
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
  const open = await matches.waiting();
  const many = Array.from({ length: BATCH + 50 }, (_, at) => at + 1);
  const ledgers = [openLedger(world.owner, systemClock()), openLedger(world.owner, systemClock())];
  await Promise.all(ledgers.map((one) => matches.report(open, many, ALL, one)));
  const numbers = (await matches.recorded(open)).slice(1).flat();
  expect(numbers).toEqual(many);
  expect(await matches.request(open.accountId)).toMatchObject({ erased: "304" });
});

describe("a hold", () => {
  test("keeps deleted events of its range, whatever its actor, and they are counted", async () => {
    const open = await matches.waiting();
    await world.hold(open.accountId, { from: 5, to: 8, actorId: "u_7" });
    await matches.report(open, MATCHES.slice(0, 4), ALL);
    expect((await matches.recorded(open)).slice(1)).toEqual([[2, 11]]);
    expect(await matches.request(open.accountId)).toMatchObject({ erased: "6", held: "2" });
  });

  test("on all of a report leaves no record, and what was reported counts as such", async () => {
    const open = await matches.waiting();
    await world.hold(open.accountId);
    await matches.report(open, MATCHES.slice(0, 4));
    await world.owner.query("DELETE FROM ledger.holds WHERE account_id = $1", [open.accountId]);
    await matches.report(open, MATCHES.slice(0, 4));
    expect((await matches.recorded(open)).slice(1)).toEqual([]);
    expect(await matches.request(open.accountId)).toMatchObject({ erased: "4", held: "4" });
  });

  test("on a stored event is counted by the batch that has met it", async () => {
    const accountId = await world.newChain();
    await world.hold(accountId, { from: 5, to: 5 });
    const id = await matches.ask(accountId, { actorId: "u_1" });
    await matches.erase();
    await matches.report({ accountId, id }, [2, 5], ALL);
    expect(await matches.recorded({ accountId, id })).toEqual([[2]]);
    expect(await matches.request(accountId)).toMatchObject({ erased: "1", held: "1" });
  });

  test("on a stored event that was released since lets it be erased", async () => {
    const accountId = await world.newChain();
    const open = { accountId, id: await matches.ask(accountId, { actorId: "u_1" }) };
    await matches.erase();
    await world.owner.query(
      "UPDATE ledger.events SET erased = 0, actor_id = 'u_1' WHERE account_id = $1 AND sequence_number = 5",
      [open.accountId],
    );
    await world.owner.query("UPDATE ledger.erasures SET vacuumed_at = now()");
    // Another actor's, one that is erased, and the one of the actor.
    await matches.report(open, [1, 2, 5], ALL);
    expect(await matches.recorded(open)).toEqual([[2, 5], [5]]);
    expect(await matches.request(open.accountId)).toMatchObject({
      erased: "3",
      vacuumed_at: null,
    });
  });
});

test("no record is named while its leaf is there", async () => {
  const accountId = await world.newChain(2);
  await matches.ask(accountId, { actorId: "u_0" });
  await matches.newReplica().pass();
  await world.owner.query("UPDATE ledger.events SET created_at = $2 WHERE account_id = $1", [
    accountId,
    OLD,
  ]);
  await world.deleteThrough(accountId, 3);
  await world.owner.query("DELETE FROM ledger.erasures WHERE account_id = $1", [accountId]);
  const id = await matches.ask(accountId, { actorId: "key_1" });
  await matches.erase();
  await matches.report({ accountId, id }, [2, 3], ALL);
  const [last] = await world.owner.query(
    `SELECT metadata::json ->> 'sequence_numbers' AS said FROM ledger.events
     WHERE account_id = $1 ORDER BY sequence_number DESC LIMIT 1`,
    [accountId],
  );
  expect(last).toEqual({ said: "2" });
});
