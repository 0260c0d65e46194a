// Guarantee: what makes an application lose events without noticing is said or waited for: a quota, a wrong
// key, a number that JSON lacks, a service that refuses connections for days. A callback changes nothing.

import {
  Annals,
  type AnnalsOptions,
  type Drop,
  type Stall,
  TrackingLimits,
  type TrackingOptions,
} from "@annals/sdk";
import { eventually } from "@annals/testing";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { ControlledClock } from "./controlled-clock.ts";
import { type Answering, failure, json, scriptedServer } from "./scripted-server.ts";

const SECRET = "annals_sk_secret";
const DAY_S = 86_400;
const HOUR_MS = 3_600_000;

const stored: Answering = (_, response) => json(response, 201, { data: [] });

async function made(
  answer: Answering,
  tracking: TrackingOptions = {},
  options: Partial<AnnalsOptions> = {},
) {
  const server = await scriptedServer(answer);
  const clock = new ControlledClock();
  const drops: Drop[] = [];
  const stalls: [number, Stall][] = [];
  const began = clock.now();
  const annals = new Annals({
    baseUrl: server.baseUrl,
    apiKey: SECRET,
    clock,
    random: () => 0,
    ...options,
    tracking: {
      onDrop: (drop) => drops.push(drop),
      onStall: (stall) => stalls.push([clock.now() - began, stall]),
      ...tracking,
    },
  });
  return { annals, clock, drops, server, stalls };
}

function quota(retryAfterS: number): Answering {
  return (_, response) =>
    failure(response, 429, "plan_limit_exceeded", { "retry-after": String(retryAfterS) });
}

test("a batch beyond a quota of days is dropped as such, and later ones are tried", async () => {
  const { annals, drops, server } = await made((received, response, count) =>
    (count === 1 ? quota(9 * DAY_S) : stored)(received, response, count),
  );
  annals.track({ action: "a" });
  await annals.flush();
  expect(drops).toMatchObject([{ reason: "quota", error: { type: "plan_limit_exceeded" } }]);
  expect(annals.track({ action: "b" })).toBe(true);
  await annals.flush();
  expect([drops.length, server.received.length]).toEqual([1, 2]);
});

test("a quota that is free again within hours is waited for", async () => {
  const { annals, clock, drops } = await made((received, response, count) =>
    (count === 1 ? quota(3_600) : stored)(received, response, count),
  );
  annals.track({ action: "a" });
  await clock.during(annals.flush());
  expect([drops, annals.buffered]).toEqual([[], 0]);
});

test("after 10 seconds without progress, and then each minute, it is told what fails", async () => {
  let isWrong = true;
  const { annals, clock, stalls } = await made((received, response, count) =>
    isWrong ? failure(response, 401, "authentication_error") : stored(received, response, count),
  );
  annals.track({ action: "a" });
  annals.track({ action: "b" });
  const flushed = annals.flush();
  await clock.pass(140_000);
  isWrong = false;
  await clock.during(flushed);
  const stall = { type: "authentication_error", status: 401, waiting: 2 };
  expect(stalls).toEqual([
    [10_000, stall],
    [70_000, stall],
    [130_000, stall],
  ]);
});

test("by default a warning says it, with no key and no event", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const { annals, clock } = await made(
    (_, response, count) =>
      count < 9 ? failure(response, 401, "authentication_error") : json(response, 201, {}),
    { onStall: undefined as never },
  );
  annals.track({ action: "invoice.update" });
  await clock.during(annals.flush());
  expect(warn.mock.calls).toEqual([
    ["annals: 1 events are waiting to be sent, attempts fail (authentication_error, status 401)"],
  ]);
});

test("a number that JSON lacks is named and not stored as null, in a call too", async () => {
  const { annals, drops, server } = await made(stored);
  for (const value of [Number.NaN, Infinity, -Infinity])
    expect(annals.track({ action: "a", metadata: { list: [{ value }] } })).toBe(false);
  expect(annals.track({ action: "a", metadata: { value: null, text: "NaN" } })).toBe(true);
  await annals.flush();
  expect(drops.map(({ reason }) => reason)).toEqual(Array(3).fill("unserializable"));
  expect(server.received).toHaveLength(1);
  const created = annals.events.create({ action: "a", metadata: { value: Number.NaN } });
  await expect(created).rejects.toThrow("NaN is not a number of JSON");
});

test("an outage of days that refuses connections drops nothing", async () => {
  let isAway = true;
  const address = await refusingAddress();
  const { annals, clock, drops, server } = await made(
    stored,
    {},
    {
      fetch: (url, init) => fetch(isAway ? url.replace(/127\.0\.0\.1:\d+/, address) : url, init),
    },
  );
  annals.track({ action: "a" });
  const flushed = annals.flush();
  for (let hours = 0; hours < 48; hours += 8) await clock.leap(8 * HOUR_MS);
  isAway = false;
  await clock.during(flushed);
  expect([drops, server.received.length]).toEqual([[], 1]);
});

test("a key that cannot be had is nothing that was sent", async () => {
  const { annals, clock, drops } = await made(
    stored,
    {},
    { apiKey: () => Promise.reject(new Error("no vault")) },
  );
  annals.track({ action: "a" });
  const closed = annals.close(5_000);
  await clock.pass(5_000);
  await closed;
  expect(drops).toMatchObject([{ reason: "closed", error: { isUnsent: true } }]);
});

test("after a port that fetch refuses nothing was sent", async () => {
  const { annals } = await made(stored, {}, { baseUrl: "http://127.0.0.1:6000", maxRetries: 0 });
  const created = annals.events.create({ action: "a" });
  await expect(created).rejects.toMatchObject({ type: "connection_error", isUnsent: true });
});

test("clients share one bound, and each waits until there is space", async () => {
  const limits = new TrackingLimits({ maxEvents: 3 });
  let isAway = true;
  const answer: Answering = (received, response, count) =>
    isAway ? failure(response, 500, "server_error") : stored(received, response, count);
  const first = await made(answer, { limits });
  const second = await made(answer, { limits });
  const track = ({ annals }: typeof first) => annals.track({ action: "a" });
  expect([track(first), track(first), track(second), track(second)]).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(second.drops).toMatchObject([{ reason: "full" }]);
  let isReady = false;
  const ready = second.annals.ready().then(() => (isReady = true));
  await second.clock.pass(60_000);
  expect(isReady).toBe(false);
  isAway = false;
  await first.clock.during(first.annals.flush());
  await ready;
  expect(track(second)).toBe(true);
  await second.clock.during(second.annals.flush());
});

test("a body from 1 KiB is compressed, a shorter one is not", async () => {
  const { annals, server } = await made(stored);
  const large = { action: "a", metadata: { text: "x".repeat(10_000) } };
  await annals.events.create({ action: "a" });
  await annals.events.create(large);
  annals.track(large);
  await annals.flush();
  const sent = server.received.map(({ headers }) => [
    headers["content-encoding"],
    Number(headers["content-length"]) < 1_024,
  ]);
  expect(sent).toEqual([
    [undefined, true],
    ["gzip", true],
    ["gzip", true],
  ]);
  expect(JSON.parse(server.received[1]?.body ?? "")).toEqual(large);
});

test("a client without events waits for nothing", async () => {
  const wait = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const { annals, server } = await made(stored, {}, { clock: { now: () => 0, wait } });
  await annals.flush();
  expect(wait).not.toHaveBeenCalled();
  annals.track({ action: "a" });
  await annals.flush();
  await eventually("the end of its loop", () => annals.buffered === 0);
  const waits = wait.mock.calls.length;
  await annals.flush();
  expect([wait.mock.calls.length, server.received.length]).toEqual([waits, 1]);
});

/** An address at which nothing listens. */
async function refusingAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return `127.0.0.1:${port}`;
}
