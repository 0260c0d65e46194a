// Guarantee: track() keeps order, keeps its bound, keeps a batch's Idempotency-Key until it is answered, and
// names every event that it drops, and why. test/flows/sdk-track.test.ts shows the same of the real service.

import { Annals, AnnalsError, type Drop, type NewEvent, type TrackingOptions } from "@annals/sdk";
import { eventually } from "@annals/testing";
import { expect, test } from "vitest";
import { ControlledClock } from "./controlled-clock.ts";
import { type Answering, failure, json, scriptedServer } from "./scripted-server.ts";

const stored: Answering = (_, response) => json(response, 201, { data: [] });

async function made(answer: Answering, tracking: TrackingOptions = {}) {
  const server = await scriptedServer(answer);
  const clock = new ControlledClock();
  const drops: Drop[] = [];
  const annals = new Annals({
    baseUrl: server.baseUrl,
    apiKey: "annals_sk_x",
    clock,
    random: () => 0,
    tracking: { onDrop: (drop) => drops.push(drop), onStall: () => {}, ...tracking },
  });
  const sent = () =>
    server.received.map(({ body }) => namesOf((JSON.parse(body) as { events: NewEvent[] }).events));
  const track = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => annals.track({ action: `a${from + at}` }));
  const dropped = () => drops.map(({ events, reason }) => [reason, namesOf(events)]);
  return { annals, clock, drops, dropped, sent, server, track };
}

function namesOf(events: readonly NewEvent[]): string {
  return events.map(({ action }) => action).join(" ");
}

test("events wait for others, at most so long, and a full batch does not wait", async () => {
  const { annals, clock, sent, track } = await made(stored, { batchEvents: 3, maxWaitMs: 700 });
  track(1, 2);
  expect(await clock.next()).toBe(700);
  await eventually("the first batch", () => annals.buffered === 0);
  track(3, 9);
  await eventually("two full batches", () => annals.buffered === 1);
  expect(await clock.next()).toBe(700);
  await eventually("the rest", () => annals.buffered === 0);
  expect(sent()).toEqual(["a1 a2", "a3 a4 a5", "a6 a7 a8", "a9"]);
});

test("a batch ends before it has too many bytes", async () => {
  const { annals, sent } = await made(stored, { batchBytes: 600 });
  const event = { action: "a", metadata: { text: "x".repeat(200) } };
  for (let count = 0; count < 5; count += 1) annals.track(event);
  await annals.flush();
  expect(sent()).toEqual(["a a", "a a", "a"]);
});

test("an event is stored as it was when it was tracked, with that time", async () => {
  const { annals, clock, server } = await made(stored);
  const event = { action: "a", metadata: { total: 1 } };
  annals.track(event);
  event.metadata.total = 2;
  annals.track({ action: "b", occurred_at: "2020-01-01T00:00:00Z" });
  await clock.next();
  await annals.flush();
  expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
    events: [
      { action: "a", metadata: { total: 1 }, occurred_at: "2026-01-31T09:30:00.000Z" },
      { action: "b", occurred_at: "2020-01-01T00:00:00Z" },
    ],
  });
});

test("whatever fails, a batch is sent again with its key, and later events wait behind it", async () => {
  const failures: Answering[] = [
    (_, response) => response.destroy(),
    (_, response) => failure(response, 429, "rate_limit_exceeded", { "retry-after": "40" }),
    (_, response) => failure(response, 500, "server_error"),
    (_, response) => failure(response, 401, "authentication_error"),
    (_, response) => void response.writeHead(502).end("<html>"),
  ];
  const told: number[] = [];
  const { annals, clock, dropped, sent, server, track } = await made(
    (received, response, count) => (failures[count - 1] ?? stored)(received, response, count),
    { batchEvents: 2, onRetry: ({ delayMs }) => told.push(delayMs) },
  );
  track(1, 4);
  const began = clock.now();
  await clock.during(annals.flush());
  expect(told).toEqual([125, 40_000, 500, 1_000, 2_000]);
  expect(clock.now() - began).toBe(told.reduce((sum, each) => sum + each));
  const again = failures.map(() => "a1 a2");
  expect(sent()).toEqual([...again, "a1 a2", "a3 a4"]);
  const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys.slice(0, -1)).size).toBe(1);
  expect(keys.at(-1)).not.toBe(keys[0]);
  expect(dropped()).toEqual([]);
});

test("a full buffer drops the new events and names them, and ready() says when there is space", async () => {
  let isAway = true;
  const { annals, clock, dropped, sent, track } = await made(
    (received, response, count) =>
      isAway ? response.destroy() : stored(received, response, count),
    { maxEvents: 4, batchEvents: 2 },
  );
  expect(track(1, 6)).toEqual([true, true, true, true, false, false]);
  expect(dropped()).toEqual([
    ["full", "a5"],
    ["full", "a6"],
  ]);
  const order: string[] = [];
  const ready = annals.ready().then(() => order.push("ready"));
  await clock.pass(60_000);
  expect([annals.buffered, order]).toEqual([4, []]);
  isAway = false;
  await clock.during(ready);
  expect(track(7, 7)).toEqual([true]);
  await annals.flush();
  expect(sent().slice(-3)).toEqual(["a1 a2", "a3 a4", "a7"]);
});

test("the bytes are bounded too", async () => {
  const { annals, dropped } = await made(stored, { maxBytes: 500 });
  const large = { action: "large", metadata: { text: "x".repeat(300) } };
  expect([annals.track(large), annals.track(large), annals.track({ action: "small" })]).toEqual([
    true,
    false,
    true,
  ]);
  expect(dropped()).toEqual([["full", "large"]]);
});

test("events that the service refuses are dropped by name, and the others of the batch are stored", async () => {
  const { annals, dropped, sent, server, track } = await made((received, response) => {
    const { events } = JSON.parse(received.body) as { events: NewEvent[] };
    const details = events.flatMap(({ action }, at) =>
      ["a2", "a4"].includes(action) ? [{ field: `events[${at}].action`, message: "is bad" }] : [],
    );
    if (details.length > 0) failure(response, 422, "validation_error", {}, details);
    else json(response, 201, { data: [] });
  });
  track(1, 5);
  await annals.flush();
  expect(sent()).toEqual(["a1 a2 a3 a4 a5", "a1 a3 a5"]);
  expect(dropped()).toEqual([["refused", "a2 a4"]]);
  const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys).size).toBe(2);
});

test("where the refusal names no event, the batch is halved until the one at fault is alone", async () => {
  const { annals, dropped, drops, sent, track } = await made((received, response) =>
    received.body.includes('"a3"')
      ? failure(response, 422, "validation_error")
      : json(response, 201, { data: [] }),
  );
  track(1, 5);
  await annals.flush();
  expect(sent()).toEqual(["a1 a2 a3 a4 a5", "a1 a2 a3", "a1 a2", "a3", "a4 a5"]);
  expect(dropped()).toEqual([["refused", "a3"]]);
  expect(AnnalsError.is(drops[0]?.error, "validation_error")).toBe(true);
});

test("what is no JSON is dropped, and so is what is tracked after close()", async () => {
  const { annals, drops, sent, track } = await made(stored);
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  expect(annals.track({ action: "a0", metadata: cyclic })).toBe(false);
  track(1, 2);
  await annals.close();
  expect(track(3, 3)).toEqual([false]);
  expect(sent()).toEqual(["a1 a2"]);
  expect(drops.map(({ reason }) => reason)).toEqual(["unserializable", "closed"]);
});

test("close() ends at its time: what may be stored is unconfirmed, the rest was not sent", async () => {
  const { annals, clock, dropped, track } = await made((_, response) => response.destroy(), {
    batchEvents: 2,
  });
  track(1, 5);
  const closed = annals.close(5_000);
  await clock.pass(5_000);
  await closed;
  expect(dropped()).toEqual([
    ["unconfirmed", "a1 a2"],
    ["closed", "a3 a4"],
    ["closed", "a5"],
  ]);
  expect(annals.buffered).toBe(0);
});

test("a batch that was only ever refused for the rate limit is not stored, and says so", async () => {
  let retries = 0;
  const { annals, clock, dropped, track } = await made(
    (_, response) => failure(response, 429, "rate_limit_exceeded", { "retry-after": "60" }),
    { onRetry: () => (retries += 1) },
  );
  track(1, 1);
  const closed = annals.close(5_000);
  await eventually("the refusal", () => retries === 1);
  await clock.pass(5_000);
  await closed;
  expect(dropped()).toEqual([["closed", "a1"]]);
});

test("a batch is not sent again once the service may have forgotten its key", async () => {
  const { annals, clock, dropped, track } = await made((_, response) =>
    failure(response, 500, "server_error", { "retry-after": "7200" }),
  );
  track(1, 1);
  const began = clock.now();
  await clock.during(annals.flush());
  expect(dropped()).toEqual([["unconfirmed", "a1"]]);
  expect((clock.now() - began) / 3_600_000).toBe(22);
});
