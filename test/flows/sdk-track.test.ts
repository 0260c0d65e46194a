// Guarantee: whatever is tracked with the SDK is stored exactly once and in order, while gateways are killed,
// connections are cut before and after the service has the request, answers do not come, and the rate limit
// refuses. After a minute without the network, all is stored but what the full buffer dropped by name.

import { Annals, AnnalsError, type AnnalsOptions, type Clock, type Drop } from "@annals/sdk";
import type { Stack } from "@annals/local";
import { type Fate, newAccount, newKey, openProxy, ownerOf, type Proxy } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { ControlledClock } from "../sdk/controlled-clock.ts";

const EVENTS = 1_000;
const EVENTS_PER_BATCH = 10;
/** Requests of a key in a minute, of which the batches need more. */
const RATE_LIMIT = 40;

let stack: Stack;
let owner: ReturnType<typeof ownerOf>;
let proxies: Proxy[];

beforeAll(async () => {
  stack = await startConstellation({
    shared: inject("stack"),
    replicas: { gateway: 2 },
    rateLimitPerMinute: RATE_LIMIT,
  });
  owner = ownerOf(stack.databaseUrl);
  proxies = await Promise.all(stack.baseUrls.map(openProxy));
});
afterAll(async () => {
  for (const proxy of proxies ?? []) proxy.close();
  await owner?.close();
  await stack?.stop();
});

async function newAnnals(options: Partial<AnnalsOptions>) {
  const { accountId, key } = await newAccount(stack.databaseUrl);
  const drops: Drop[] = [];
  let calls = 0;
  const annals = new Annals({
    baseUrl: "http://annals.invalid",
    apiKey: key,
    // As a load balancer: the gateways take turns.
    fetch: (url, init) => {
      const proxy = proxies[(calls += 1) % proxies.length];
      return fetch(url.replace("http://annals.invalid", proxy?.url ?? ""), init);
    },
    ...options,
    tracking: { onDrop: (drop) => drops.push(drop), ...options.tracking },
  });
  /** The numbers of the stored events, in the order of the chain. */
  const stored = async () => {
    const reader = await newKey(stack.databaseUrl, accountId);
    const { events } = new Annals({ baseUrl: stack.baseUrls[0] ?? "", apiKey: reader.key });
    const all = await events.list({ order: "asc", limit: 100 }).toArray();
    return all.map(({ metadata }) => metadata["number"]);
  };
  const track = (number: number) => annals.track({ action: "tracked", metadata: { number } });
  return { accountId, annals, drops, stored, track };
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

test("every tracked event is stored once and in order, whatever fails meanwhile", async () => {
  const failures = new Set<string>();
  let account = "";
  /** Short waits, and instead of waiting for the rate limit's window it ends the window. */
  const clock: Clock = {
    now: () => Date.now(),
    wait: async (ms, signal) => {
      if (ms > 5_000)
        await owner.query("DELETE FROM keys.rate_windows WHERE account_id = $1", [account]);
      else await pause(ms / 5, undefined, { signal }).catch(() => {});
    },
  };
  const { accountId, annals, drops, stored, track } = await newAnnals({
    clock,
    timeoutMs: 500,
    tracking: {
      batchEvents: EVENTS_PER_BATCH,
      maxEvents: 4 * EVENTS_PER_BATCH,
      maxWaitMs: 50,
      onRetry: ({ error }) => failures.add(AnnalsError.is(error) ? error.type : String(error)),
    },
  });
  account = accountId;
  const fates: Fate[] = ["cut", "close", "reset", "hold"];
  let chunks = 0;
  for (const proxy of proxies)
    proxy.onRequest = () => {
      chunks += 1;
      return chunks % 9 === 0 ? (fates[(chunks / 9) % fates.length] ?? "pass") : "pass";
    };
  const gateways = stack.processes.filter(({ service }) => service === "gateway");
  const killed = gateways.map((gateway) => gateway.pid());
  for (const number of numbers(1, EVENTS)) {
    await annals.ready();
    track(number);
    if (number % 250 === 0) gateways[(number / 250) % gateways.length]?.kill("SIGKILL");
  }
  await annals.flush();
  for (const proxy of proxies) proxy.onRequest = () => "pass";
  // The last kill was at the last event.
  await Promise.all(gateways.map((gateway) => gateway.waitReady()));
  expect(drops).toEqual([]);
  expect(await stored()).toEqual(numbers(1, EVENTS));
  expect([...failures].toSorted()).toEqual(
    expect.arrayContaining(["connection_error", "rate_limit_exceeded", "timeout_error"]),
  );
  for (const gateway of gateways) expect(killed).not.toContain(gateway.pid());
});

test("a minute without the network: the buffer holds its bound and names what it dropped", async () => {
  const clock = new ControlledClock();
  const { annals, drops, stored, track } = await newAnnals({
    clock,
    tracking: { maxEvents: 200, batchEvents: 50 },
  });
  for (const proxy of proxies) proxy.onRequest = () => "cut";
  const tracked = numbers(1, 300).map(track);
  await clock.pass(60_000);
  expect(annals.buffered).toBe(200);
  expect(tracked.indexOf(false)).toBe(200);
  expect(drops.every(({ reason }) => reason === "full")).toBe(true);
  const dropped = drops.flatMap(({ events }) => events.map(({ metadata }) => metadata?.["number"]));
  expect(dropped).toEqual(numbers(201, 300));
  for (const proxy of proxies) proxy.onRequest = () => "pass";
  await clock.during(annals.flush());
  track(301);
  await annals.flush();
  expect(await stored()).toEqual([...numbers(1, 200), 301]);
});
