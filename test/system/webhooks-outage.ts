// NATS is stopped under load, may lose its disk, and comes back. One account writes all the time, another
// only while NATS is away: no later notice covers its events, so it shows whether the sweep does. Called
// by webhooks-nothing-lost.test.ts and, for a whole minute, by the suite of faults.

import { eventually, type Subscriber } from "@annals/testing";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { WebhookSystem } from "./webhook-constellation.ts";
import { type Client, missing, postAll, type Posted, threeWebhooks } from "./webhooks-load.ts";

/** Before the outage: what a request takes with NATS there. */
const USUAL_EVENTS = 500;
/** Of the account that writes only while NATS is away. */
const SILENT_EVENTS = 100;
/**
 * What no request reaches that does not wait for NATS: the shortest of the deadlines with it. The median may
 * be twice the usual one, for the load goes on beside restarts.
 */
const NATS_DEADLINE_MS = 2_000;
const TIMES_USUAL = 2;
/** An event that a notice announces is there sooner than the sweep comes by. */
const BY_NOTICE_MS = 500;
const AGAIN_MS = 60_000;
const DRAINED_MS = 120_000;

export interface Outage {
  /** How long NATS is away at least. */
  readonly stoppedMs: number;
  /** Whether it comes back without anything that it knew. */
  readonly isWiped: boolean;
}

export interface Survived {
  readonly steady: Posted & { readonly missing: readonly number[] };
  readonly silent: Posted & { readonly missing: readonly number[] };
  readonly usualP50Ms: number;
  readonly awayP50Ms: number;
}

/**
 * Resolves to what has not arrived: of the account that writes all the time once nothing of it is missing, of
 * the other as soon as notices pass again, or, with the sweep on, when nothing is missing.
 */
export async function surviveOutage(
  system: WebhookSystem,
  { isWiped, stoppedMs }: Outage,
  sweeps: boolean,
): Promise<Survived> {
  const steady = await threeWebhooks(system);
  const silent = await threeWebhooks(system);
  const nats = system.processOf("nats");
  const usual = await postAll(steady.client, USUAL_EVENTS);
  let isAway = true;
  const load = postAll(steady.client, 0, () => isAway, "later");
  await nats.stop();
  const stopped = performance.now();
  const written = await postAll(silent.client, SILENT_EVENTS);
  // The outage has a length: this is no waiting for anything.
  await pause(Math.max(0, stopped + stoppedMs - performance.now()));
  if (isWiped) rmSync(join(system.stack.dataDir, "nats"), { recursive: true, force: true });
  nats.start();
  await nats.waitReady();
  isAway = false;
  const during = await load;
  // No request noticed anything.
  expect([usual.refused, during.refused, written.refused]).toEqual([0, 0, 0]);
  expect(during.tookMs.at(-1)).toBeLessThan(NATS_DEADLINE_MS);
  const [usualP50Ms, awayP50Ms] = [median(usual), median(during)];
  expect(awayP50Ms).toBeLessThan(usualP50Ms * TIMES_USUAL);
  await passesByNotice(steady.client, steady.subscribers);
  const count = usual.count + during.count;
  await drained(steady.subscribers, count);
  if (sweeps) await drained(silent.subscribers, written.count);
  return {
    steady: { ...during, count, missing: missingOf(steady.subscribers, count) },
    silent: { ...written, missing: missingOf(silent.subscribers, written.count) },
    usualP50Ms,
    awayP50Ms,
  };
}

const missingOf = (subscribers: readonly Subscriber[], count: number): number[] =>
  subscribers.map((one) => missing(one, count));

const median = ({ tookMs }: Posted): number => tookMs[Math.floor(tookMs.length / 2)] ?? Infinity;

/** Resolves when all has arrived, or when it is certain enough that it does not. */
async function drained(subscribers: readonly Subscriber[], count: number): Promise<void> {
  const isDone = () => missingOf(subscribers, count).every((n) => n === 0);
  await eventually("nothing is missing", isDone, DRAINED_MS).catch(() => {});
}

/** Resolves when an event comes sooner than any sweep would bring it, three times in a row. */
async function passesByNotice(client: Client, subscribers: readonly Subscriber[]): Promise<void> {
  let inARow = 0;
  await eventually(
    "notices pass again",
    async () => {
      const { body } = await client.post("/v1/events", { action: "after the outage" });
      const arrived = () =>
        subscribers[0]?.received.some(({ json }) => json.data.id === body.data.id) ?? false;
      inARow = await eventually("it arrives", arrived, BY_NOTICE_MS).then(
        () => inARow + 1,
        () => 0,
      );
      return inARow >= 3;
    },
    AGAIN_MS,
  );
}
