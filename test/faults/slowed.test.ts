// Guarantee: while PostgreSQL or NATS are slow, every packet late or the bandwidth small, appends go on or
// are refused in the error shape within their deadline, and no process ends. Afterwards everything is served
// by itself, nothing acknowledged is lost, and every event reaches its webhook.

import type { Stack } from "@annals/local";
import { eventually, ownerOf } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import { Link, type Slowness } from "./network-proxy.ts";
import { report } from "../system/report.ts";
import { allServing, newChain, REPLICAS, retryFaults } from "../system/testbed.ts";

const { forMs, ways } = inject("form").slowed;
const WRITERS = 8;
const STORED_BEFORE = 50;
const STORED_WITHIN_MS = 30_000;
const DELIVERED_WITHIN_MS = 60_000;
/** A notice has some hundred bytes, and there is one for each append at most. */
const NARROW = { delayMs: 50, bytesPerS: 10_000 };

interface Case {
  readonly what: string;
  readonly postgres?: Slowness;
  readonly nats?: Slowness;
}
const CASES: readonly Case[] = [
  { what: "both, 200 ms each way", postgres: { delayMs: 200 }, nats: { delayMs: 200 } },
  { what: "PostgreSQL, 50 ms each way", postgres: { delayMs: 50 } },
  { what: "PostgreSQL, 200 ms each way", postgres: { delayMs: 200 } },
  { what: "NATS, 50 ms each way", nats: { delayMs: 50 } },
  { what: "NATS, 200 ms each way", nats: { delayMs: 200 } },
  { what: "NATS, 10 kB/s", nats: NARROW },
];

let stores: Stack;
let links: { readonly postgres: Link; readonly nats: Link };
let system: WebhookSystem;
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  // PostgreSQL and NATS by themselves: their addresses are known before anyone asks for them.
  stores = await startConstellation({
    without: ["gateway", "keys", "ledger", "export", "webhook-dispatcher"],
  });
  const [postgres, nats] = await Promise.all(
    [stores.databaseUrl, stores.natsUrl].map((url) => Link.to(Number(new URL(url).port))),
  );
  if (postgres === undefined || nats === undefined) throw new Error("a link is missing");
  links = { postgres, nats };
  owner = ownerOf(stores.databaseUrl);
  system = await startWebhookSystem(
    {},
    {
      databaseUrl: postgres.through(stores.databaseUrl),
      natsUrl: nats.through(stores.natsUrl),
      replicas: REPLICAS,
    },
  );
});
afterAll(async () => {
  await system?.stop();
  await owner?.close();
  for (const link of Object.values(links ?? {})) await link.close();
  await stores?.stop();
});

const heal = async () => {
  for (const link of Object.values(links)) await link.heal();
};

test.each(CASES.slice(0, ways))(`$what, for ${forMs / 1_000} s`, async ({ postgres, nats }) => {
  const services = system.stack.processes.filter(({ adminUrl }) => adminUrl !== undefined);
  const pids = services.map((one) => one.pid());
  const account = await newChain(system.stack, owner);
  const subscriber = await system.subscriber();
  const webhook = { url: subscriber.url(), events: ["event.created"] };
  expect((await account.clients[0]!.post("/v1/webhooks", webhook)).status).toBe(201);
  const load = account.load();
  load.start(WRITERS);
  onTestFinished(async () => {
    await heal();
    await load.stop();
    account.close();
  });
  await eventually(
    "appends flow",
    () => load.appends.filter(({ outcomes: [first] }) => first?.stored).length > STORED_BEFORE,
  );
  if (postgres) await links.postgres.inject("slowed", postgres);
  if (nats) await links.nats.inject("slowed", nats);
  const from = performance.now();
  const storedMeanwhile = (until: number) =>
    load.appends
      .flatMap(({ outcomes: [first] }) => (first?.stored ? [first] : []))
      .filter(({ sentAt, tookMs }) => sentAt > from && sentAt + tookMs < until)
      .map(({ tookMs }) => tookMs);
  await pause(forMs);
  await eventually("appends go on", () => storedMeanwhile(Infinity).length > 0, STORED_WITHIN_MS);
  const to = performance.now();
  await heal();
  await allServing(system.stack);
  await load.stop();
  const before = await account.chain();
  expect(retryFaults(await load.retryUnacknowledged(), before)).toStrictEqual([]);
  expect(await account.audit(load.appends)).toStrictEqual([]);
  expect(services.map((one) => one.pid())).toStrictEqual(pids);
  const chain = await account.chain();
  await eventually(
    "every event is delivered",
    () => {
      const numbers = subscriber.received.map(({ json }) => json.data.sequence_number);
      return new Set(numbers).size === chain.length;
    },
    DELIVERED_WITHIN_MS,
  );
  const outcomes = load.appends
    .map(({ outcomes: [first] }) => first!)
    .filter(({ sentAt }) => sentAt > from && sentAt < to);
  const stored = storedMeanwhile(to);
  // No quicker than the way allows: once for admission, once for the append.
  expect(stored.length).toBeGreaterThan(0);
  if (postgres) expect(Math.min(...stored)).toBeGreaterThan(2 * 2 * postgres.delayMs);
  report({
    appends: load.appends.length,
    meanwhile: outcomes.length,
    refused: outcomes.filter((each) => each.refused).length,
    "slowest ms": Math.max(...stored),
  });
});
