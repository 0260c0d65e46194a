// Guarantee: a request is executed once its delay is over, in batches, each a record in the chain with what
// it names. Whatever fails, and however many replicas there are, what is recorded and what is erased are the
// same. What a hold covers stays, and is counted. Accounts take turns, and none keeps the others.

import { beforeAll, expect, test } from "vitest";
import { BATCH } from "../erase-found.ts";
import { newAccountId } from "../../testing/append-fixtures.ts";
import { openErasures } from "../../testing/erasure-fixtures.ts";
import {
  eventBy,
  type LifecycleFixtures,
  openLifecycleFixtures,
} from "../../testing/lifecycle-fixtures.ts";
import { DELAY_MS, TURN_BATCHES } from "./erasures.ts";

const CHUNK = 4_096;

let world: LifecycleFixtures;
let erasures: ReturnType<typeof openErasures>;
beforeAll(async () => {
  world = await openLifecycleFixtures();
  erasures = openErasures(world);
});

const everyThird = (first: number, last: number) =>
  Array.from({ length: Math.floor((last - first) / 3) + 1 }, (_, at) => first + at * 3);

test("the events of an actor, in the filter index and after it, and none that came later", async () => {
  const accountId = await world.newChain(CHUNK + 300);
  await world.run("SELECT ledger.index_segment($1, 0)", [accountId]);
  await erasures.ask(accountId, { actorId: "u_1" });
  await world.appendTo(accountId, [eventBy(1)]);
  const { pass } = erasures.newReplica();
  expect(await pass()).toBe(DELAY_MS);
  const numbers = everyThird(2, CHUNK + 300);
  const { erased, records } = await erasures.recordedAndErased(accountId);
  expect(erased).toEqual(numbers);
  expect(records.map((each) => each.length)).toEqual([...Array(5).fill(BATCH), 215]);
  expect(records.flat()).toEqual(numbers);
  const [left] = await world.owner.query(
    "SELECT count(*)::int AS n FROM ledger.blocks WHERE account_id = $1 AND 'u_1' = ANY (keys)",
    [accountId],
  );
  expect(left).toEqual({ n: 0 });
  const digest = expect.any(Buffer);
  expect(await erasures.request(accountId)).toMatchObject({
    status: "completed",
    selector: null,
    selector_sha256: digest,
    erased: String(numbers.length),
    held: "0",
  });
  const [record] = await world.owner.query(
    "SELECT actor, metadata FROM ledger.events WHERE account_id = $1 AND action = 'annals.erasure' LIMIT 1",
    [accountId],
  );
  expect(record?.["actor"]).toBe('{"id":"key_1","type":"api_key"}');
  expect(JSON.parse(String(record?.["metadata"]))).toMatchObject({
    parts: ["actor", "metadata"],
    reference: "case 7",
  });
});

test("it waits for its delay", async () => {
  const accountId = await world.newChain();
  await erasures.ask(accountId, { actorId: "u_1" }, { delayHours: 1 });
  const { pass } = erasures.newReplica();
  await pass();
  expect(await erasures.request(accountId)).toMatchObject({ status: "pending" });
  expect(await erasures.recordedAndErased(accountId)).toEqual({ records: [], erased: [] });
  await erasures.letTimePass();
  await pass();
  expect(await erasures.request(accountId)).toMatchObject({ status: "completed" });
  expect(await erasures.recordedAndErased(accountId)).toEqual({
    records: [[2, 5]],
    erased: [2, 5],
  });
});

test("what a hold covers stays, and is counted", async () => {
  const accountId = await world.newChain(12);
  await world.hold(accountId, { from: 5, to: 8, actorId: "u_1" });
  await erasures.ask(accountId, { targetId: "inv_9" }, { parts: ["target"] });
  const { pass } = erasures.newReplica();
  await pass();
  expect(await erasures.recordedAndErased(accountId)).toEqual({
    records: [[1, 2, 3, 4, 6, 7, 9, 10, 11, 12]],
    erased: [1, 2, 3, 4, 6, 7, 9, 10, 11, 12],
  });
  expect(await erasures.request(accountId)).toMatchObject({
    status: "completed",
    erased: "10",
    held: "2",
  });
});

test("with nothing but held events there is no record", async () => {
  const accountId = await world.newChain();
  await world.hold(accountId);
  await erasures.ask(accountId, { actorId: "u_1" });
  const { pass } = erasures.newReplica();
  await pass();
  expect(await erasures.recordedAndErased(accountId)).toEqual({ records: [], erased: [] });
  expect(await erasures.request(accountId)).toMatchObject({ status: "completed", held: "2" });
});

test("one event by its id, and never a record", async () => {
  const accountId = await world.newChain();
  const [row] = await world.owner.query(
    "SELECT id FROM ledger.events WHERE account_id = $1 AND sequence_number = 3",
    [accountId],
  );
  await erasures.ask(accountId, { eventId: String(row?.["id"]) }, { parts: ["context"] });
  const { pass } = erasures.newReplica();
  await pass();
  expect(await erasures.recordedAndErased(accountId)).toEqual({ records: [[3]], erased: [3] });
  await world.owner.query("DELETE FROM ledger.erasures WHERE account_id = $1", [accountId]);
  // The actor of the record.
  await erasures.ask(accountId, { actorId: "key_1" });
  await pass();
  expect(await erasures.recordedAndErased(accountId)).toEqual({ records: [[3]], erased: [3] });
  expect(await erasures.request(accountId)).toMatchObject({ status: "completed", erased: "0" });
});

const STEPS = [
  "claim-erasure",
  "find-in-range",
  "lock-head-for-record",
  "list-erasable",
  "begin-lifecycle",
  "append-events",
  "erase",
  "advance-erasure",
  "unindex",
  "complete-erasure",
];

test.for(STEPS)("a replica that dies at %s leaves all or nothing of a batch", async (step) => {
  const accountId = await world.newChain(3 * (BATCH + 50));
  await erasures.ask(accountId, { actorId: "u_1" });
  let reached = 0;
  const dying = erasures.newReplica((statement, account) => {
    if (statement !== `ledger.${step}` || account !== accountId) return;
    // The first batch is complete, and the second is not.
    reached += 1;
    if (reached === 2 || !BATCH_STEPS.has(step)) throw new Error("killed");
  });
  await expect(dying.pass()).rejects.toThrow("killed");
  const before = await erasures.recordedAndErased(accountId);
  expect(before.records.flat()).toEqual(before.erased);
  const { pass } = erasures.newReplica();
  await erasures.letTimePass();
  await pass();
  const numbers = everyThird(2, 3 * (BATCH + 50));
  const after = await erasures.recordedAndErased(accountId);
  expect(after.erased).toEqual(numbers);
  expect(after.records.flat()).toEqual(numbers);
  expect(await erasures.request(accountId)).toMatchObject({ status: "completed", erased: "300" });
});

const BATCH_STEPS = new Set(STEPS.slice(1, -1));

test("a replica that has lost its lease stores nothing more", async () => {
  const accountId = await world.newChain();
  await erasures.ask(accountId, { actorId: "u_1" });
  const other = erasures.newReplica();
  const slow = erasures.newReplica(async (statement, account) => {
    if (statement !== "ledger.lock-head-for-record" || account !== accountId) return;
    await erasures.letTimePass();
    await other.pass();
  });
  await expect(slow.pass()).rejects.toThrow("has continued the erasure");
  expect(await erasures.recordedAndErased(accountId)).toEqual({
    records: [[2, 5]],
    erased: [2, 5],
  });
  expect(await erasures.request(accountId)).toMatchObject({ status: "completed", erased: "2" });
});

test("two replicas at once erase everything once", async () => {
  const accounts = await Promise.all([1, 2, 3, 4].map(() => world.newChain(30)));
  for (const accountId of accounts) {
    await erasures.ask(accountId, { actorId: "u_1" });
    await erasures.ask(accountId, { actorId: "u_2" });
  }
  const replicas = [erasures.newReplica(), erasures.newReplica()];
  await Promise.all(replicas.map(({ pass }) => pass()));
  await Promise.all(replicas.map(({ pass }) => pass()));
  const expected = Array.from({ length: 30 }, (_, at) => at + 1).filter((n) => n % 3 !== 1);
  for (const accountId of accounts) {
    const { erased, records } = await erasures.recordedAndErased(accountId);
    expect(erased).toEqual(expected);
    expect(records.flat().toSorted((one, other) => one - other)).toEqual(expected);
  }
});

test("an account with much to erase waits for the others after its turn, and goes on at once", async () => {
  const events = Array.from({ length: BATCH * TURN_BATCHES + 1 }, () => eventBy(1));
  const large = `acct_0${newAccountId()}`;
  const small = await world.newChain();
  for (let at = 0; at < events.length; at += 1_000)
    await world.appendTo(large, events.slice(at, at + 1_000));
  await erasures.ask(large, { actorId: "u_1" });
  await erasures.ask(small, { actorId: "u_1" });
  const { pass } = erasures.newReplica();
  expect(await pass()).toBe(0);
  expect(await erasures.request(large)).toMatchObject({ status: "running", erased: "2000" });
  expect(await erasures.request(small)).toMatchObject({ status: "completed" });
  expect(await pass()).toBe(DELAY_MS);
  expect(await erasures.request(large)).toMatchObject({ status: "completed", erased: "2001" });
});

test("an account that fails does not stop the others, and is tried again after its lease", async () => {
  const bad = `acct_0${newAccountId()}`;
  await world.appendTo(bad, [eventBy(1)]);
  const good = await world.newChain();
  await erasures.ask(bad, { actorId: "u_1" });
  await erasures.ask(good, { actorId: "u_1" });
  let isBroken = true;
  const { lines, pass } = erasures.newReplica((statement, account) => {
    if (isBroken && statement === "ledger.erase" && account === bad) throw new Error("broken");
  });
  await expect(pass()).rejects.toThrow("broken");
  expect(lines).toMatchObject([{ account_id: bad, worker: "erasures" }]);
  expect(await erasures.request(good)).toMatchObject({ status: "completed" });
  isBroken = false;
  await pass();
  expect(await erasures.request(bad)).toMatchObject({ status: "running", erased: "0" });
  await erasures.letTimePass();
  await pass();
  expect(await erasures.request(bad)).toMatchObject({ status: "completed", erased: "1" });
});
