// Guarantees of the append path when something fails: an append that PostgreSQL refuses fails
// alone; an append whose outcome is unknown is reported as such and never stored twice; a chain that
// does not continue at its head takes no append.

import { ON_ONE_SERVER } from "@annals/testing";
import { expect, test } from "vitest";
import {
  append,
  eventOf,
  losingAnswers,
  moveHeadBack,
  newAccountId,
  newQueue,
  UNAVAILABLE,
} from "../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../testing/database.ts";

const stored = (accountId: string) =>
  [
    "SELECT action FROM ledger.events WHERE account_id = $1 ORDER BY sequence_number",
    [accountId],
  ] as const;

test.each(["\0", "a\ud800\0"])(
  "of 500 appends with one that PostgreSQL refuses 499 are stored, in order",
  async (poison) => {
    const database = await newLedgerDatabase();
    const { brokenChains, queue } = newQueue(database.url);
    const accountId = newAccountId();
    const appends = Array.from({ length: 500 }, (_, n) =>
      append(accountId, { action: n === 123 ? poison : `a${n}` }),
    );
    const results = await Promise.allSettled(appends.map((each) => queue.submit(each)));
    expect(results.flatMap(({ status }, n) => (status === "rejected" ? [n] : []))).toEqual([123]);
    const rows = await database.query(...stored(accountId));
    expect(rows.map(({ action }) => action)).toEqual(
      Array.from({ length: 500 }, (_, n) => `a${n}`).filter((_, n) => n !== 123),
    );
    expect(await brokenChains()).toBe(0);
    expect((await queue.submit(append(accountId))).firstSequence).toBe(500);
  },
);

test("several refused appends in one group fail alone", async () => {
  const database = await newLedgerDatabase();
  const { queue } = newQueue(database.url);
  const accountId = newAccountId();
  const appends = Array.from({ length: 64 }, (_, n) =>
    append(accountId, { action: n % 9 === 5 ? "\0" : `a${n}` }),
  );
  const results = await Promise.allSettled(appends.map((each) => queue.submit(each)));
  expect(results.map(({ status }) => status)).toEqual(
    appends.map((_, n) => (n % 9 === 5 ? "rejected" : "fulfilled")),
  );
});

test("what PostgreSQL cannot store, in a part or an id, is refused alone", async () => {
  const database = await newLedgerDatabase();
  const { queue } = newQueue(database.url);
  const accountId = newAccountId();
  const broken = Buffer.from('{"a":"é"}').subarray(0, 7);
  const events = [
    eventOf("a"),
    { ...eventOf("part"), metadata: broken },
    eventOf("b"),
    { ...eventOf("id"), actorId: "\0" },
    eventOf("c"),
  ];
  const appends = events.map((event) => append(accountId, { events: [event] }));
  await Promise.allSettled(appends.map((each) => queue.submit(each)));
  const rows = await database.query(...stored(accountId));
  expect(rows.map(({ action }) => action)).toEqual(["a", "b", "c"]);
});

test("a batch with one event that PostgreSQL refuses is refused as a unit", async () => {
  const database = await newLedgerDatabase();
  const { queue } = newQueue(database.url);
  const accountId = newAccountId();
  const batch = append(accountId, { events: [eventOf("a"), eventOf("\0"), eventOf("c")] });
  const results = await Promise.allSettled(
    [append(accountId), batch, append(accountId)].map((each) => queue.submit(each)),
  );
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await database.query(...stored(accountId))).toHaveLength(2);
});

test.each([
  ["COMMIT\0", "under the lock", 0],
  ["ledger.append-events", "by the cached head", 2],
])(
  "when the answer to %s is lost, %s, the append is unavailable and is not stored twice",
  async (text, _, before) => {
    const database = await newLedgerDatabase();
    const proxy = await losingAnswers(database.url);
    const { queue } = newQueue(proxy.url);
    const accountId = newAccountId();
    for (let n = 0; n < before; n += 1) await queue.submit(append(accountId));
    const key = { idempotencyKey: "k", requestSha256: Buffer.alloc(32, 7), action: "lost" };
    proxy.arm(text);
    const [result] = await Promise.allSettled([queue.submit(append(accountId, key))]);
    expect(proxy.lost()).toBe(1);
    expect(result).toMatchObject(UNAVAILABLE);
    // The client asks again with its key: whatever had become of the first, the event is there once.
    const again = await queue.submit(append(accountId, key));
    expect(again).toEqual({ outcome: "replayed", firstSequence: before + 1, eventCount: 1 });
    const rows = await database.query(...stored(accountId));
    expect(rows.filter(({ action }) => action === "lost")).toHaveLength(1);
    expect((await queue.submit(append(accountId))).firstSequence).toBe(before + 2);
  },
);

test("a group whose answer is lost is not retried", async () => {
  const database = await newLedgerDatabase();
  const proxy = await losingAnswers(database.url);
  const { queue } = newQueue(proxy.url);
  const accountId = newAccountId();
  await queue.submit(append(accountId));
  // The first group also asks whether tables are distributed, so it goes before the proxy is armed.
  await Promise.all([1, 2].map(() => queue.submit(append(accountId))));
  // Appends of one turn of the event loop are one group; its request holds their action.
  proxy.arm("grouped");
  const group = Array.from({ length: 50 }, () =>
    queue.submit(append(accountId, { action: "grouped" })),
  );
  const results = await Promise.allSettled(group);
  expect(proxy.lost()).toBe(1);
  for (const result of results) expect(result).toMatchObject(UNAVAILABLE);
  expect(await database.query(...stored(accountId))).toHaveLength(53);
});

test.each([
  ["is missing", "DELETE FROM ledger.events WHERE sequence_number = 5"],
  ["has another hash", "UPDATE ledger.events SET hash = sha256('x') WHERE sequence_number = 5"],
  ["is missing with all others", "DELETE FROM ledger.events"],
])("a chain whose last event %s takes no append and raises the alert", async (_, change) => {
  const database = await newLedgerDatabase();
  const { brokenChains, queue } = newQueue(database.url);
  const accountId = newAccountId();
  for (let n = 0; n < 5; n += 1) await queue.submit(append(accountId));
  await database.query(change);
  const before = await database.query(...stored(accountId));
  const [result] = await Promise.allSettled([queue.submit(append(accountId))]);
  expect(result).toMatchObject({ reason: { kind: "internal" } });
  expect(await brokenChains()).toBe(1);
  expect(await database.query(...stored(accountId))).toEqual(before);
});

test.runIf(ON_ONE_SERVER)(
  "an append whose number was taken meanwhile is refused as a whole and raises the alert",
  async () => {
    const database = await newLedgerDatabase();
    const { brokenChains, queue } = newQueue(database.url);
    const accountId = newAccountId();
    await queue.submit(append(accountId));
    // With the owner's rights, between the condition on the last event and the event itself.
    await database.query(
      `CREATE FUNCTION ledger.take_number() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
     BEGIN
       INSERT INTO ledger.events
       SELECT (jsonb_populate_record(events, jsonb_build_object('sequence_number', NEW.sequence_number))).*
       FROM ledger.events WHERE sequence_number = OLD.sequence_number;
       RETURN NEW;
     END $$;
     CREATE TRIGGER take_number BEFORE UPDATE ON ledger.heads FOR EACH ROW EXECUTE FUNCTION ledger.take_number()`,
    );
    const appends = [append(accountId), append(accountId)].map((each) => queue.submit(each));
    for (const result of await Promise.allSettled(appends))
      expect(result).toMatchObject({ reason: { kind: "internal" } });
    expect(await brokenChains()).toBe(1);
    expect(await database.query(...stored(accountId))).toHaveLength(1);
  },
);

test("a head that was moved back takes no append and raises the alert; nothing is stored", async () => {
  const database = await newLedgerDatabase();
  const { brokenChains, queue } = newQueue(database.url);
  const accountId = newAccountId();
  for (let n = 0; n < 5; n += 1) await queue.submit(append(accountId));
  await moveHeadBack(database, accountId, 3);
  const results = await Promise.allSettled([1, 2, 3].map(() => queue.submit(append(accountId))));
  for (const result of results) expect(result).toMatchObject({ reason: { kind: "internal" } });
  expect(await brokenChains()).toBeGreaterThan(0);
  expect(await database.query(...stored(accountId))).toHaveLength(5);
});
