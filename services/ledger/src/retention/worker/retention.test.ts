// Guarantees: events that are older than the retention of their account are deleted after a record in the
// chain names them: not what a hold covers, not what the log does not cover, and never the last one. An
// account goes on as before: appends, lists, the filter index, verification, retries, and every proof that
// was handed out. Without the count of what was deleted, a small account is never indexed again.

import { RecordFormat } from "@annals/proto/ledger";
import { parseCheckpoint, parseNote, verifyConsistency, verifyInclusion } from "@annals/tlog";
import { beforeEach, describe, expect, test } from "vitest";
import { withoutCondition } from "../../testing/without-condition.ts";
import { openRetention, type RetentionWorld } from "../../testing/retention-fixtures.ts";
import { appendOf, eventOf, eventsJsonOf } from "../../testing/test-ledger.ts";

const ACCOUNT = "acct_1";
const DAYS = 30;

let world: RetentionWorld;
beforeEach(async () => {
  world = await openRetention();
  world.log.signer.retention = { days: DAYS, minDays: 7 };
});

/** An account whose first events are older than its retention, and covered. */
async function agedAccount(events: number): Promise<void> {
  await world.log.append(ACCOUNT, events);
  await world.cover();
  await world.laterDays(DAYS);
}

async function append(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1_000)
    await world.log.append(ACCOUNT, Math.min(left, 1_000));
}

const numbersOf = (events: readonly { readonly sequenceNumber: bigint }[]) =>
  events.map(({ sequenceNumber }) => Number(sequenceNumber));

async function list(more: Partial<{ ascending: boolean; limit: number; filter: object }> = {}) {
  const { events } = await world.client.listEvents({ accountId: ACCOUNT, limit: 3, ...more });
  return numbersOf(events);
}

async function verify(range: { fromSequence?: bigint } = {}) {
  const { checked, firstInvalid, retainedFrom } = await world.client.verifyChain({
    accountId: ACCOUNT,
    ...range,
  });
  return { checked: Number(checked), firstInvalid, from: Number(retainedFrom) };
}

const records = async () =>
  (
    await world.log.owner.query<{ n: number; metadata: string }>(
      `SELECT sequence_number::int AS n, metadata FROM ledger.events
       WHERE account_id = $1 AND action = 'annals.retention' ORDER BY 1`,
      [ACCOUNT],
    )
  ).map(({ metadata, n }) => [n, JSON.parse(metadata)]);

test("a record names the old events, and they are deleted; the younger ones stay", async () => {
  await agedAccount(300);
  await append(10);
  const { passes, seen } = world.newReplica();
  await passes();
  expect(await records()).toEqual([[311, { through_sequence: 300 }]]);
  expect(await world.lifecycle(ACCOUNT)).toEqual({
    record: 311,
    through: 300,
    deleted: 300,
    leaves: 256,
  });
  expect(seen).toEqual({ deleted: 300, lagS: 0, holds: 0 });
  const [row] = await world.log.owner.query(
    "SELECT actor, target FROM ledger.events WHERE account_id = $1 AND sequence_number = 311",
    [ACCOUNT],
  );
  expect(row).toEqual({ actor: '{"id":"ledger","type":"service"}', target: "{}" });
});

const DONE = { actions: ["thing.done"] };

describe("300 events are deleted, 5,000 are appended, and again", () => {
  test("everything works as before", async () => {
    await agedAccount(300);
    const replica = world.newReplica();
    // The last event always stays.
    await replica.passes();
    expect(await world.lifecycle(ACCOUNT)).toMatchObject({ through: 299, deleted: 299 });
    await append(4_999);
    const events = [eventOf({ actor: { id: "u_7" } })];
    const keyed = {
      ...appendOf(ACCOUNT),
      eventsJson: eventsJsonOf(events),
      idempotencyKey: "retry",
    };
    const [first] = (await world.client.createEvents({ appends: [keyed] })).outcomes;
    const [again] = (await world.client.createEvents({ appends: [keyed] })).outcomes;
    expect([first?.outcome.case, again?.outcome.case]).toEqual(["stored", "replayed"]);
    await world.cover();
    await world.index();
    // 300, a record, 4,999 and 1.
    expect(await list()).toEqual([5_301, 5_300, 5_299]);
    expect(await list({ ascending: true })).toEqual([300, 301, 302]);
    const ofRetention = { actions: ["annals.retention"] };
    expect(await list({ ascending: true, filter: ofRetention })).toEqual([301]);
    expect(await list({ ascending: true, filter: DONE })).toEqual([300, 302, 303]);
    expect(await list({ filter: { actorIds: ["u_7"] } })).toEqual([5_301]);
    expect(await list({ filter: { beforeSequence: 301n } })).toEqual([300]);
    expect(await list({ filter: { beforeSequence: 200n } })).toEqual([]);
    const indexed = "SELECT base::int FROM ledger.segments WHERE account_id = $1";
    expect(await world.log.owner.query(indexed, [ACCOUNT])).toEqual([{ base: 0 }]);
    expect(await verify()).toEqual({ checked: 5_002, firstInvalid: undefined, from: 300 });
    expect(await world.client.getUsage({ accountId: ACCOUNT })).toMatchObject({ events: 5_301n });

    await world.laterDays(DAYS);
    await replica.passes();
    expect(await world.lifecycle(ACCOUNT)).toMatchObject({ through: 5_300, deleted: 5_300 });
    expect(await list({ ascending: true, limit: 10 })).toEqual([5_301, 5_302]);
    expect(await list({ filter: { actorIds: ["u_7"] } })).toEqual([5_301]);
    expect(await list({ ascending: true, filter: DONE })).toEqual([5_301]);
    expect(await verify()).toEqual({ checked: 2, firstInvalid: undefined, from: 5_301 });
    const left = "SELECT FROM ledger.blocks WHERE account_id = $1";
    expect(await world.log.owner.query(left, [ACCOUNT])).toEqual([]);
  });

  test("with the old count, the account is never indexed again", async () => {
    await agedAccount(300);
    await world.newReplica().passes();
    await append(5_000);
    const old = ["index_segment", " - coalesce(deleted, 0) THEN", " THEN"] as const;
    await withoutCondition(world.log.owner, old, world.index);
    const segments = () => world.log.owner.query("SELECT FROM ledger.segments");
    expect(await segments()).toEqual([]);
    await world.index();
    expect(await segments()).toHaveLength(1);
  });

  test("a chunk that was deleted before it was indexed does not stop the index", async () => {
    await append(5_000);
    await world.cover();
    await world.laterDays(DAYS);
    await world.newReplica().passes();
    await append(4_000);
    await world.index();
    const rows = await world.log.owner.query(
      "SELECT base::int, earliest = '' AS is_empty FROM ledger.segments ORDER BY 1",
    );
    expect(rows).toEqual([
      { base: 0, is_empty: true },
      { base: 4_096, is_empty: false },
    ]);
    expect(await list({ ascending: true, filter: DONE })).toEqual([5_000, 5_002, 5_003]);
    expect((await verify()).firstInvalid).toBeUndefined();
  });
});

test("reads of deleted events say so", async () => {
  await agedAccount(600);
  const { events } = await world.client.listEvents({ accountId: ACCOUNT, limit: 1 });
  const { event } = await world.client.getEvent({ accountId: ACCOUNT, id: events[0]?.id ?? "" });
  await append(1);
  await world.newReplica().passes();
  const gone = /Retention has deleted the events before 601/;
  const read = world.client.getEvent({ accountId: ACCOUNT, id: event?.id ?? "" });
  await expect(read).rejects.toThrow(gone);
  const entries = (index: bigint, width: number) =>
    world.client.readEntries({ accountId: ACCOUNT, index, width });
  await expect(entries(0n, 256)).rejects.toThrow(gone);
  expect((await entries(2n, 88)).entries.length).toBeGreaterThan(0);
  await expect(verify({ fromSequence: 5n })).rejects.toThrow(
    /retention has deleted the events before 601, the first that can be verified/,
  );
  const asked = { accountId: ACCOUNT, sequenceNumbers: [599n, 600n, 601n] };
  const some = await world.client.readEvents(asked);
  expect(numbersOf(some.events)).toEqual([601]);
  const sizes = { accountId: ACCOUNT, limit: 10 };
  expect(await world.client.measureEvents({ ...sizes, afterSequence: 0n })).toMatchObject({
    bytes: [],
    retainedFrom: 601n,
  });
  expect((await world.client.measureEvents({ ...sizes, afterSequence: 600n })).bytes).toHaveLength(
    2,
  );
});

test("a stream that lacks deleted events fails, and one of what is left is complete", async () => {
  await agedAccount(600);
  await append(10);
  await world.newReplica().passes();
  const stream = async (afterSequence: bigint, action?: string) => {
    let count = 0;
    const filter = { afterSequence, beforeSequence: 611n, ...(action && { action }) };
    const request = { accountId: ACCOUNT, filter, format: RecordFormat.JSONL };
    for await (const response of world.client.streamEvents(request)) count += response.count;
    return count;
  };
  const lost = /Retention has deleted events of acct_1 before they were read/;
  await expect(stream(0n)).rejects.toThrow(lost);
  await expect(stream(0n, "thing.done")).rejects.toThrow(lost);
  expect(await stream(600n)).toBe(10);
  expect(await stream(600n, "thing.done")).toBe(10);
});

test("what was proved before is proved after, from the tiles", async () => {
  await agedAccount(700);
  const size = 700n;
  const proved = await world.client.proveInclusion({
    accountId: ACCOUNT,
    sequenceNumber: 6n,
    size,
  });
  const note = (await world.client.readCheckpoint({ accountId: ACCOUNT })).checkpoint;
  const before = parseCheckpoint(parseNote(note).text);
  const hashOf = async () => {
    const [row] = await world.log.owner.query<{ hash: Buffer }>(
      "SELECT substring(hashes FROM 161 FOR 32) AS hash FROM ledger.tiles WHERE level = 0 AND tile = 0",
    );
    return row?.hash ?? Buffer.alloc(32);
  };
  await append(300);
  await world.newReplica().passes();
  expect(await world.lifecycle(ACCOUNT)).toMatchObject({ deleted: 700 });
  await append(300);
  await world.cover();
  const again = await world.client.proveInclusion({ accountId: ACCOUNT, sequenceNumber: 6n, size });
  expect(again.hashes).toEqual(proved.hashes);
  const path = again.hashes.map((each) => Buffer.from(each));
  verifyInclusion(5, 700, await hashOf(), path, before.root);
  const now = parseCheckpoint(
    parseNote((await world.client.readCheckpoint({ accountId: ACCOUNT })).checkpoint).text,
  );
  const consistency = () =>
    world.client.proveConsistency({ accountId: ACCOUNT, from: size, to: BigInt(now.size) });
  verifyConsistency(
    before,
    now,
    (await consistency()).hashes.map((each) => Buffer.from(each)),
  );
  await world.log.owner.query("DELETE FROM ledger.tiles WHERE level = 0 AND tile = 2");
  await expect(consistency()).rejects.toThrow(/Internal error/i);
});

describe("what is not deleted", () => {
  test("nothing where neither the plan nor the account says a time", async () => {
    world.log.signer.retention = { minDays: 7 };
    await agedAccount(300);
    const { passes, seen } = world.newReplica();
    await passes();
    expect([await records(), seen.lagS]).toEqual([[], 0]);
    expect(await world.lifecycle(ACCOUNT)).toBeUndefined();
  });

  test("what a hold covers, until its release", async () => {
    await agedAccount(600);
    await append(1);
    await world.hold(ACCOUNT, 300);
    const { passes, seen } = world.newReplica();
    await passes();
    expect(await world.lifecycle(ACCOUNT)).toMatchObject({ through: 299, deleted: 299 });
    expect(seen).toEqual({ deleted: 299, lagS: 0, holds: 1 });
    await world.release();
    await world.laterDays(8);
    await passes();
    expect(await world.lifecycle(ACCOUNT)).toMatchObject({ through: 600, deleted: 600 });
  });

  test("what the log does not cover yet", async () => {
    await world.log.append(ACCOUNT, 300);
    await world.log.growTrees();
    await world.laterDays(DAYS + 1);
    const { passes, seen } = world.newReplica();
    await passes();
    expect(await records()).toEqual([]);
    await world.laterDays(4);
    await passes();
    expect(seen.lagS).toBeGreaterThan(3 * 86_400);
    await world.cover();
    await passes();
    expect(await world.lifecycle(ACCOUNT)).toMatchObject({ deleted: 299 });
    expect(seen.lagS).toBe(0);
  });

  test("a few events, for a week; and records of retention alone never", async () => {
    await agedAccount(300);
    await append(100);
    const { passes } = world.newReplica();
    await passes();
    await world.cover();
    await world.laterDays(DAYS);
    await passes();
    // The 100, the first record; the next one waits a week.
    expect((await records()).at(-1)).toEqual([402, { through_sequence: 400 }]);
    for (let week = 0; week < 8; week += 1) {
      await world.cover();
      await world.laterDays(8);
      await passes();
    }
    expect((await records()).map(([number]) => number)).toEqual([401, 402]);
  });
});
