// Guarantees of what a sink sends besides plain events: checkpoints that count, each hour and each 10,000
// events; the records of erasures and retention, also through a filter; a line that names the events that
// retention has deleted; and for a bucket batches of one day with bounds that a crash does not change. What
// was read long ago is never sent.

import type { SinkConfig } from "@annals/interface";
import { expect, test } from "vitest";
import { fromOcsf } from "@annals/ocsf";
import type { SinkFormat } from "../rules/sink.ts";
import type { SinkRecord } from "../rules/sink-record.ts";
import { newSinkWorld } from "../../testing/sink-world.ts";
import { sendTest } from "./test-sink.ts";

const BUCKET: SinkConfig = { type: "s3", bucket: "logs", prefix: "", region: "eu-central-1" };

const parsed = (records: readonly SinkRecord[]) => records.map(({ json }) => JSON.parse(json));
const linesOf = (records: readonly SinkRecord[]) =>
  parsed(records.filter(({ sequenceNumber }) => sequenceNumber === undefined));

test("each format has the same events", async () => {
  const { chains, create, receivers, round } = await newSinkWorld();
  const mapping = { "invoice.*": { class: "account_change", activity: "Lock" } };
  const sent = new Map<SinkFormat, Record<string, unknown>>();
  for (const format of ["annals", "ocsf", "ecs", "cloudevents"] as const) {
    const { accountId } = await create({ format, ...(format === "ocsf" && { mapping }) });
    chains.append(accountId, 1, { actor: { id: "u_1" }, target: { id: "inv_1", type: "invoice" } });
    await round();
    const [record] = parsed(receivers.lines(accountId));
    sent.set(format, { ...record, accountId });
  }
  expect(sent.get("annals")).toMatchObject({ sequence_number: 1, action: "invoice.created" });
  const ocsf = sent.get("ocsf") ?? {};
  expect(ocsf).toMatchObject({ class_uid: 3001, activity_name: "Lock" });
  const own = { chain: ocsf["accountId"], sequence_number: 1, actor: { id: "u_1" } };
  expect(fromOcsf(ocsf)).toMatchObject(own);
  expect(sent.get("ecs")).toMatchObject({ event: { action: "invoice.created", sequence: 1 } });
  const { accountId, ...cloudEvent } = sent.get("cloudevents") ?? {};
  expect(cloudEvent).toMatchObject({ specversion: "1.0", source: `/annals/${String(accountId)}` });
});

test("a checkpoint comes with each 10,000 events, and says which and how many", async () => {
  const { chains, create, receivers, round } = await newSinkWorld();
  const { accountId, id } = await create();
  chains.append(accountId, 25_000);
  await round();
  const checkpoints = linesOf(receivers.lines(accountId));
  expect(checkpoints).toMatchObject([
    {
      action: "annals.sink.checkpoint",
      chain: accountId,
      metadata: {
        sink: id,
        from: 1,
        to: 10_000,
        count: 10_000,
        filtered: false,
        head: { sequence_number: 10_000, hash: "h10000" },
      },
    },
    { metadata: { from: 10_001, to: 20_000, count: 10_000 } },
  ]);
  expect(checkpoints.some((line) => "sequence_number" in line)).toBe(false);
});

test("a checkpoint comes each hour, also if nothing was stored", async () => {
  const { chains, create, pass, receivers, round } = await newSinkWorld();
  const { accountId } = await create();
  chains.append(accountId, 3);
  await round();
  pass(3_599);
  await round();
  expect(linesOf(receivers.lines(accountId))).toEqual([]);
  pass(1);
  await round();
  await round();
  pass(3_600);
  await round();
  expect(linesOf(receivers.lines(accountId))).toMatchObject([
    { metadata: { from: 1, to: 3, count: 3, head: { sequence_number: 3 } } },
    { metadata: { from: 4, to: 3, count: 0, head: { sequence_number: 3 } } },
  ]);
});

test("a filter leaves events out, and never the records of erasures, holds and retention", async () => {
  const { chains, create, receivers, round, row } = await newSinkWorld();
  const { accountId, id } = await create({ filter: { action: ["user.deleted"] } });
  chains.append(accountId, 500);
  for (const action of ["annals.erasure", "user.deleted", "annals.hold", "annals.retention"]) {
    chains.append(accountId, 1, { action });
    chains.append(accountId, 500);
  }
  await round();
  expect(receivers.lines(accountId).map(({ action }) => action)).toEqual([
    "annals.erasure",
    "user.deleted",
    "annals.hold",
    "annals.retention",
  ]);
  expect(receivers.numbers(accountId)).toEqual([501, 1_002, 1_503, 2_004]);
  expect(await row(id)).toMatchObject({ cursor: "2504", checkpoint_count: "4" });
});

test("a filter of which an erasure has taken the last value selects no event", async () => {
  const { chains, create, receivers, round, row } = await newSinkWorld();
  const { accountId, id } = await create({ filter: { actor_id: [] } });
  chains.append(accountId, 10);
  chains.append(accountId, 1, { action: "annals.erasure" });
  await round();
  expect(receivers.numbers(accountId)).toEqual([11]);
  expect(await row(id)).toMatchObject({ cursor: "11" });
});

test("a sink that retention has overtaken says which events are gone, and goes on", async () => {
  const { chains, create, receivers, round, row } = await newSinkWorld();
  const { accountId, id } = await create({ cursor: 100 });
  chains.append(accountId, 1_000);
  chains.deletedThrough = 700;
  await round();
  const [gap, ...others] = linesOf(receivers.lines(accountId));
  expect(gap).toMatchObject({
    action: "annals.sink.gap",
    chain: accountId,
    metadata: { sink: id, from: 101, to: 700, reason: "retention" },
  });
  expect(others).toEqual([]);
  expect(receivers.numbers(accountId)[0]).toBe(701);
  expect(receivers.numbers(accountId)).toHaveLength(300);
  const { cursor, lost } = await row(id);
  expect([cursor, JSON.parse(String(lost))]).toEqual([
    "1000",
    [{ from: 101, to: 700, reason: "retention" }],
  ]);
});

test("events that retention deletes while they are read are named as gone, and never half sent", async () => {
  const { chains, create, receivers, round } = await newSinkWorld();
  const { accountId } = await create();
  chains.append(accountId, 600);
  let pages = 0;
  chains.gate = async () => {
    pages += 1;
    if (pages === 2) chains.deletedThrough = 500;
  };
  await round();
  expect(linesOf(receivers.lines(accountId))).toMatchObject([{ metadata: { from: 1, to: 500 } }]);
  expect(receivers.numbers(accountId)).toEqual(Array.from({ length: 100 }, (_, at) => at + 501));
});

test("an object of a bucket has the events of one day, and no line of the stream", async () => {
  const { chains, create, pass, receivers, round } = await newSinkWorld();
  const { accountId } = await create({ config: BUCKET });
  chains.append(accountId, 15_000, { created_at: "2026-01-31T23:59:59.999999Z" });
  chains.append(accountId, 5, { created_at: "2026-02-01T00:00:00.000000Z" });
  pass(3_600);
  await round();
  expect(receivers.accepted.map(({ records }) => records.length)).toEqual([15_000, 5]);
  expect(linesOf(receivers.lines(accountId))).toEqual([]);
});

test("a bucket's batch has the same bounds again after a crash, and the state of the one before", async () => {
  const { chains, create, pass, receivers, replica, round, row } = await newSinkWorld();
  const { accountId, id } = await create({ config: BUCKET });
  chains.append(accountId, 10);
  receivers.answer = () => ({ outcome: "accepted", state: "first" });
  await round();
  chains.append(accountId, 10);
  pass(300);
  receivers.answer = () => Promise.reject(new Error("the process is gone"));
  await round(replica());
  expect(await row(id)).toMatchObject({ cursor: "10", pending_to: "20" });
  chains.append(accountId, 10);
  pass(300);
  receivers.answer = () => ({ outcome: "accepted", state: "second" });
  await round();
  const bounds = receivers.accepted.map(({ records }) => records.at(-1)?.sequenceNumber);
  expect(bounds).toEqual([10, 20, 30]);
  expect(receivers.accepted.map(({ options }) => options.state)).toEqual([
    undefined,
    "first",
    "second",
  ]);
  expect(await row(id)).toMatchObject({ cursor: "30", pending_to: null, receiver_state: "second" });
});

test("what was read more than 30 seconds ago is read again before it is sent", async () => {
  const { chains, create, pass, receivers, round } = await newSinkWorld();
  const { accountId } = await create();
  chains.append(accountId, 400);
  let slow = true;
  chains.gate = async () => {
    if (slow) pass(31);
    slow = false;
  };
  await round();
  expect(receivers.attempts.map(({ records }) => records.length)).toEqual([400]);
});

test("a test sends one checkpoint, and moves nothing", async () => {
  const { chains, create, deps, receivers, round, row } = await newSinkWorld();
  const { accountId, id } = await create();
  chains.append(accountId, 3);
  await round();
  const before = await row(id);
  const { signal } = new AbortController();
  expect(await sendTest(deps, before as never, signal)).toEqual({ success: true });
  expect(linesOf(receivers.lines(accountId))).toMatchObject([{ metadata: { from: 1, to: 3 } }]);
  receivers.answer = () => ({ outcome: "refused", error: "It answered 403." });
  const refused = await sendTest(deps, before as never, signal);
  expect(refused).toEqual({ success: false, error: "It answered 403." });
  expect(await row(id)).toEqual(before);
});
