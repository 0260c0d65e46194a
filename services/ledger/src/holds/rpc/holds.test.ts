// Guarantees: a hold is a record of the chain and a row, or neither. While it is active, no erasure of
// what it covers is stored, whichever ledger asks. It ends once, by its owner or the operator, with a
// record. An account has as many as the limit says, however many ledgers place them at once.

import type { Statement } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { placeHold } from "../place-hold.ts";
import { release } from "../release-hold.ts";
import { erasureRecord } from "../../append/rules/record-events.ts";
import { chainOf, newAccountId, newQueue } from "../../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import {
  appendOf,
  eventOf,
  eventsJsonOf,
  openLedger,
  type TestLedger,
} from "../../testing/test-ledger.ts";

const UNKNOWN = `hold_${"0".repeat(26)}`;
const OPERATOR = { type: "operator" } as const;
const MAX = BigInt(Number.MAX_SAFE_INTEGER);

let owner: TestDatabase;
let [first, second] = [] as unknown as [TestLedger, TestLedger];

beforeAll(async () => {
  owner = await newLedgerDatabase(afterAll);
  const open = () =>
    openLedger(owner, undefined, undefined, undefined, undefined, undefined, afterAll);
  [first, second] = [open(), open()];
});

/** A statement with the rights of the service. */
const adHoc = (text: string): Statement<unknown[], Record<string, unknown>> => ({
  name: "test.holds",
  text,
  route: "local",
  customPlan: true,
});

/** A chain of six events by `u_0` and `u_1` in turn. */
async function newChain(): Promise<string> {
  const accountId = newAccountId();
  const events = Array.from({ length: 6 }, (_, n) => eventOf({ actor: { id: `u_${n % 2}` } }));
  const append = { ...appendOf(accountId), eventsJson: eventsJsonOf(events) };
  await first.client.createEvents({ appends: [append] });
  return accountId;
}

async function place(accountId: string, fromSequence = 1n, more: object = {}, ledger = first) {
  const { hold } = await ledger.client.placeHold({ accountId, fromSequence, ...more });
  return hold ?? expect.fail("no hold");
}

const list = async (accountId: string, limit = 100) =>
  (await first.client.listHolds({ accountId, limit })).holds;

/** What the operator's command has. */
function operatorDeps() {
  const { pool, queue } = newQueue(owner.url);
  return { appends: queue, database: pool, random: randomBytes };
}

function placeOfOperator(accountId: string) {
  const range = { fromSequence: 1n, toSequence: undefined, actorId: undefined };
  return placeHold(operatorDeps(), { accountId, actor: OPERATOR, owner: "operator", ...range });
}

/** Erases the actor of an event, as the service does. */
async function erase(accountId: string, sequenceNumber: number): Promise<number> {
  const text = 'SELECT ledger.erase($1::text COLLATE "C", $2)::int AS changed';
  const erased = await operatorDeps().appends.record(accountId, async (transaction) => ({
    record: erasureRecord(
      { type: "service", id: "ledger" },
      {
        id: "era_1",
        parts: ["actor"],
        sequenceNumbers: [sequenceNumber],
      },
    ),
    act: async (record) => {
      const [row] = await transaction.run(adHoc(text), [accountId, record]);
      return Number(row?.["changed"]);
    },
  }));
  return erased ?? expect.fail("nothing to erase");
}

async function recordsOf(accountId: string, action = "annals.hold") {
  const rows = await owner.query<{ n: number; actor: string; target: string; metadata: string }>(
    `SELECT sequence_number::int AS n, actor, target, metadata FROM ledger.events
     WHERE account_id = $1 AND action = $2 ORDER BY 1`,
    [accountId, action],
  );
  return rows.map(({ n, ...parts }) => ({
    n,
    ...Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, JSON.parse(text)])),
  }));
}

async function fill(accountId: string, count: number, releasedBy: number | null = null) {
  await owner.query(
    `INSERT INTO ledger.holds (account_id, id, from_sequence, owner, placed_by, released_by)
     SELECT $1, 'old_' || n, 1, 'account', 1, $3 FROM generate_series(1, $2) AS n`,
    [accountId, count, releasedBy],
  );
}

test("a hold and its release are records of a valid chain", async () => {
  const accountId = await newChain();
  const hold = await place(accountId, 2n, { toSequence: 5n });
  expect(hold).toMatchObject({ fromSequence: 2n, toSequence: 5n, placedBy: 7n });
  expect([hold.isOfOperator, hold.actorId]).toEqual([false, undefined]);
  expect(await list(accountId)).toEqual([hold]);
  await second.client.releaseHold({ accountId, id: hold.id });
  expect(await list(accountId)).toEqual([]);
  const said = { hold: hold.id, from_sequence: 2, to_sequence: 5, of_one_actor: false };
  const shared = {
    actor: { type: "api_key", id: "key_test" },
    target: { type: "hold", id: hold.id },
  };
  expect(await recordsOf(accountId)).toEqual([
    { n: 7, ...shared, metadata: { ...said, state: "placed" } },
    { n: 8, ...shared, metadata: { ...said, state: "released" } },
  ]);
  expect(await first.client.verifyChain({ accountId })).toMatchObject({ valid: true, checked: 8n });
});

test("the actor of a hold is listed, and is not in its records", async () => {
  const accountId = await newChain();
  const hold = await place(accountId, 1n, { actorId: "u_1" });
  const [listed] = await list(accountId);
  expect([listed?.actorId, listed?.toSequence]).toEqual(["u_1", undefined]);
  await first.client.releaseHold({ accountId, id: hold.id });
  const records = await recordsOf(accountId);
  expect(records).toMatchObject([
    { metadata: { of_one_actor: true } },
    { metadata: { of_one_actor: true } },
  ]);
  expect(JSON.stringify(records)).not.toContain("u_1");
});

test("a hold of an empty account may cover what is stored later", async () => {
  const accountId = newAccountId();
  expect(await place(accountId, MAX)).toMatchObject({ fromSequence: MAX, placedBy: 1n });
  await first.client.createEvents({ appends: [appendOf(accountId)] });
  expect(await chainOf(owner, accountId)).toHaveLength(2);
});

describe("an erasure", () => {
  test("of a held event is refused with its record until the hold is released with a record", async () => {
    const accountId = await newChain();
    const { id } = await place(accountId, 2n, { toSequence: 3n });
    await expect(erase(accountId, 2)).rejects.toThrow(`the hold ${id} covers`);
    expect(await erase(accountId, 4)).toBe(1);
    // The service may say that a hold is released. Without the record it is not.
    const [{ n: placedBy } = { n: 0 }] = await recordsOf(accountId);
    const text = "UPDATE ledger.holds SET released_by = $3 WHERE account_id = $1 AND id = $2";
    const say = (by: number | null) => first.database.run(adHoc(text), [accountId, id, by]);
    for (const by of [1, placedBy, 99]) {
      await say(by);
      await expect(erase(accountId, 2)).rejects.toThrow(/covers|is not a record/);
    }
    expect(await recordsOf(accountId, "annals.erasure")).toHaveLength(1);
    await say(null);
    await first.client.releaseHold({ accountId, id });
    expect(await erase(accountId, 2)).toBe(1);
    expect(await first.client.verifyChain({ accountId })).toMatchObject({ valid: true });
  });

  test("follows a hold that another ledger places at the same time, or precedes it", async () => {
    const rounds = Array.from({ length: 8 }, async () => {
      const accountId = await newChain();
      const [placed, erased] = await Promise.allSettled([
        place(accountId, 1n, {}, second),
        erase(accountId, 1),
      ]);
      const [record] = await recordsOf(accountId, "annals.erasure");
      expect(record !== undefined).toBe(erased.status === "fulfilled");
      if (placed.status !== "fulfilled") throw placed.reason;
      if (record) expect(BigInt(record.n)).toBeLessThan(placed.value.placedBy);
      expect(await first.client.verifyChain({ accountId })).toMatchObject({ valid: true });
    });
    await Promise.all(rounds);
  });
});

describe("a release", () => {
  test.each(["hold_1", "", UNKNOWN, `${UNKNOWN}\0`])("of %j is refused", async (id) => {
    const accountId = await newChain();
    const refused = first.client.releaseHold({ accountId, id });
    await expect(refused).rejects.toThrow(id === "" ? "id: is required" : "No active hold");
    expect(await chainOf(owner, accountId)).toHaveLength(6);
  });

  test("of another account's hold, and of one that is released, finds none and records nothing", async () => {
    const [accountId, other] = [await newChain(), await newChain()];
    const { id } = await place(accountId);
    const refused = `No active hold has the id "${id}"`;
    const ask = (of: string) => first.client.releaseHold({ accountId: of, id });
    await expect(ask(other)).rejects.toThrow(refused);
    await ask(accountId);
    await expect(ask(accountId)).rejects.toThrow(refused);
    expect(await recordsOf(accountId)).toHaveLength(2);
    expect(await recordsOf(other)).toEqual([]);
  });

  test("by two ledgers at once happens once", async () => {
    const accountId = await newChain();
    const { id } = await place(accountId);
    const asked = [first, second, first, second].map(({ client }) =>
      client.releaseHold({ accountId, id }),
    );
    const settled = await Promise.allSettled(asked);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await recordsOf(accountId)).toHaveLength(2);
  });

  test("of the operator's hold is the operator's alone", async () => {
    const accountId = await newChain();
    const { id } = await placeOfOperator(accountId);
    expect(await list(accountId)).toMatchObject([{ id, isOfOperator: true }]);
    await expect(first.client.releaseHold({ accountId, id })).rejects.toThrow(
      "id: is a hold of the operator",
    );
    expect(await recordsOf(accountId)).toHaveLength(1);
    await release(operatorDeps(), { accountId, actor: OPERATOR, by: "operator", id });
    expect(await recordsOf(accountId)).toMatchObject([{ actor: OPERATOR }, { actor: OPERATOR }]);
    expect(await list(accountId)).toEqual([]);
  });
});

describe("the number of holds", () => {
  const FULL = "can have 1000 active holds";

  test("is 1,000 active ones, whichever ledgers place them; the operator can always place one", async () => {
    const accountId = await newChain();
    await fill(accountId, 998);
    const asked = [first, second, first, second].map((ledger) => place(accountId, 1n, {}, ledger));
    const settled = await Promise.allSettled(asked);
    const placed = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(placed).toHaveLength(2);
    const refused = settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refused.map(String)).toEqual([
      expect.stringContaining(FULL),
      expect.stringContaining(FULL),
    ]);
    await placeOfOperator(accountId);
    await expect(place(accountId)).rejects.toThrow(FULL);
    await first.client.releaseHold({ accountId, id: placed[0]?.id ?? "" });
    await place(accountId);
    await expect(place(accountId)).rejects.toThrow(FULL);
  });

  test("is 10,000 with those that were released", async () => {
    const accountId = await newChain();
    await fill(accountId, 9_999, 1);
    await place(accountId);
    await expect(place(accountId)).rejects.toThrow("10000 holds in all");
  });
});

test.each([
  [{ fromSequence: 0n }, "from_sequence"],
  [{ fromSequence: -1n }, "from_sequence"],
  [{ fromSequence: MAX + 1n }, "from_sequence"],
  [{ fromSequence: 2n, toSequence: 1n }, "to_sequence"],
  [{ fromSequence: 1n, toSequence: 0n }, "to_sequence"],
  [{ fromSequence: 1n, toSequence: MAX + 1n }, "to_sequence"],
  [{ fromSequence: 1n, actorId: "" }, "actor_id"],
  [{ fromSequence: 1n, actorId: "a".repeat(256) }, "actor_id"],
  [{ fromSequence: 1n, actorId: "a\0" }, "actor_id"],
])("a hold of %o is refused", async (range, field) => {
  const accountId = newAccountId();
  await expect(first.client.placeHold({ accountId, ...range })).rejects.toThrow(`${field}: `);
  expect(await list(accountId)).toEqual([]);
});
