// Guarantees: a step of the clock of a process changes no age of a sink. What is stored goes by the clock of
// the database, and what passes within a process by one that nothing steps: a batch that was read too long
// ago is read again, nothing is late or fails for longer than it does, and no batch grows too early.

import { afterEach, expect, test } from "vitest";
import type { SinkResult } from "../receiver/sink-receiver.ts";
import { GROWS_AFTER_MS } from "../rules/sink-refusals.ts";
import { newSinkWorld } from "../../testing/sink-world.ts";

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const DOWN: SinkResult = { outcome: "connection", error: "It cannot be reached." };
const TOO_LARGE: SinkResult = {
  outcome: "refused",
  error: "It answered 413.",
  statusCode: 413,
  refusal: { kind: "size", status: 413, reason: "too large" },
};

let world: Awaited<ReturnType<typeof newSinkWorld>>;
afterEach(() => world.sinks.stop());

async function begin() {
  world = await newSinkWorld();
  const { accountId, id } = await world.create();
  world.chains.append(accountId, 3);
  return { ...world, accountId, id, lagS: () => valueOf(world.metrics.sinkLagSeconds) };
}

const valueOf = async (gauge: typeof world.metrics.sinkLagSeconds) =>
  (await gauge.get()).values[0]?.value;

test("what was read more than 30 s ago is read again, if the clock has gone back meanwhile", async () => {
  const { accountId, chains, pass, receivers, round, row, id, step } = await begin();
  let pages = 0;
  chains.gate = async () => {
    pages += 1;
    if (pages > 1) return;
    pass(40);
    step(-HOUR_S);
  };
  await round();
  expect(receivers.numbers(accountId)).toEqual([1, 2, 3]);
  // An erasure may have come in between: the first turn has sent nothing.
  expect([pages, (await row(id))["fence"]]).toEqual([2, "2"]);
});

test("a turn goes on, though the clock has gone ahead", async () => {
  const { accountId, chains, receivers, round, row, id, step } = await begin();
  chains.gate = async () => step(HOUR_S);
  await round();
  expect([receivers.numbers(accountId), (await row(id))["fence"]]).toEqual([[1, 2, 3], "1"]);
});

test.each([DAY_S, -DAY_S])("a step of %d s is no lag", async (seconds) => {
  const { lagS, pass, receivers, round, step } = await begin();
  receivers.answer = () => DOWN;
  await round();
  pass(60);
  step(seconds);
  await round();
  expect(await lagS()).toBe(60);
});

test("a receiver that fails once is not recorded as one that has failed for a day", async () => {
  const { database, receivers, round, row, id, step } = await begin();
  receivers.answer = () => {
    step(2 * DAY_S);
    return DOWN;
  };
  await round();
  expect(await row(id)).toMatchObject({ attempts: 1, failure_recorded: false });
  expect(await database.query("SELECT event FROM webhooks.audit_outbox")).toEqual([]);
});

test("batches that were too large grow by the database's clock", async () => {
  const { accountId, chains, pass, receivers, round, row, id, step } = await begin();
  const sizes = () => receivers.attempts.splice(0).map(({ records }) => records.length);
  receivers.answer = ({ records }) => (records.length > 2 ? TOO_LARGE : { outcome: "accepted" });
  step(-DAY_S);
  await round();
  expect(sizes()[0]).toBe(3);
  expect(receivers.numbers(accountId)).toEqual([1, 2, 3]);
  // The process that goes on has the right time again, and an hour has not passed.
  step(DAY_S);
  chains.append(accountId, 3);
  pass(5);
  await round();
  expect(Math.max(...sizes())).toBeLessThan(3);
  chains.append(accountId, 3);
  pass(GROWS_AFTER_MS / 1_000 + 60);
  await round();
  // Those three, and the checkpoint of the hour.
  expect(sizes()[0]).toBe(4);
  expect(await row(id)).toMatchObject({ cursor: "9" });
});
