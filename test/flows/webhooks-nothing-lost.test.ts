// Guarantee: what was answered with 201 reaches every webhook, whatever dies on the way: dispatcher and
// ledger killed at random, NATS stopped, NATS wiped. The counter-check: without notices and without the
// sweep, it does not.

import { eventually, type Subscriber } from "@annals/testing";
import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "./webhook-constellation.ts";

const EVENTS = 1_000;
const WRITERS = 10;
const DRAINED_MS = 90_000;

let system: WebhookSystem;
afterEach(() => system.stop());

type Client = Awaited<ReturnType<WebhookSystem["client"]>>;

/** Three webhooks of one account. */
async function begin(): Promise<{ client: Client; subscribers: Subscriber[] }> {
  const client = await system.client();
  const subscribers = await Promise.all([1, 2, 3].map(() => system.subscriber()));
  for (const subscriber of subscribers) {
    const hook = { url: subscriber.url(), events: ["event.created"] };
    expect((await client.post("/v1/webhooks", hook)).status).toBe(201);
  }
  return { client, subscribers };
}

/**
 * Posts until each was answered with 201, however often it has to ask. Resolves to how many answers were no
 * 201.
 */
async function postAll(client: Client, count: number): Promise<number> {
  let next = 0;
  let refused = 0;
  const writer = async (): Promise<void> => {
    while (next < count) {
      const key = `event-${(next += 1)}`;
      for (;;) {
        const sent = { headers: { "idempotency-key": key } };
        const answer = await client
          .post("/v1/events", { action: key }, sent)
          .catch(() => undefined);
        if (answer?.status === 201) break;
        refused += 1;
        await pause(50);
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return refused;
}

const missing = ({ received }: Subscriber, count: number): number => {
  const arrived = new Set(received.map(({ json }) => json.data.sequence_number));
  return Array.from({ length: count }, (_, i) => i + 1).filter((n) => !arrived.has(n)).length;
};

async function expectNothingMissing(
  subscribers: readonly Subscriber[],
  count: number,
): Promise<void> {
  const missed = () => subscribers.map((one) => missing(one, count));
  await eventually("nothing is missing", () => missed().every((n) => n === 0), DRAINED_MS).catch(
    () => {
      expect(missed()).toEqual(subscribers.map(() => 0));
    },
  );
}

test("dispatcher and ledger are killed at random", async () => {
  // A short deadline, so that what a killed process had under way is soon anybody's.
  system = await startWebhookSystem(
    { ANNALS_WEBHOOK_TIMEOUT_MS: "1000" },
    { replicas: { "webhook-dispatcher": 2 } },
  );
  const { client, subscribers } = await begin();
  for (const one of subscribers) {
    one.answer = async (response) => {
      await pause(randomInt(20));
      response.writeHead(204).end();
    };
  }
  let kills = 0;
  const posted = { isDone: false };
  const killing = (async () => {
    while (!posted.isDone || kills < 6) {
      const victim = system.processOf(
        ...((
          [
            ["ledger", 1],
            ["webhook-dispatcher", 1],
            ["webhook-dispatcher", 2],
          ] as const
        )[kills % 3] as [string, number]),
      );
      victim.kill("SIGKILL");
      kills += 1;
      await victim.exited();
      await victim.waitReady(60_000);
      await pause(randomInt(300));
    }
  })();
  await postAll(client, EVENTS);
  posted.isDone = true;
  await killing;
  await expectNothingMissing(subscribers, EVENTS);
  expect(kills).toBeGreaterThanOrEqual(6);
});

test("NATS is stopped, then wiped, under load", async () => {
  system = await startWebhookSystem();
  const { client, subscribers } = await begin();
  const nats = system.processOf("nats");
  const posting = postAll(client, EVENTS);
  await subscribers[0]?.waitFor(10);
  await nats.stop();
  await subscribers[0]?.waitFor(EVENTS / 4, DRAINED_MS);
  rmSync(join(system.stack.dataDir, "nats"), { recursive: true, force: true });
  nats.start();
  await nats.waitReady();
  // No request noticed anything.
  expect(await posting).toBe(0);
  await expectNothingMissing(subscribers, EVENTS);
  // Notices flow again: what comes now comes without waiting for the sweep.
  await eventually(
    "a notice",
    async () => {
      const before = subscribers[0]?.received.length ?? 0;
      await client.post("/v1/events", { action: "later" });
      const posted = performance.now();
      await subscribers[0]?.waitFor(before + 1);
      return performance.now() - posted < 500;
    },
    30_000,
  );
});

test("counter-check: with NATS stopped and the sweep switched off, events are missing", async () => {
  system = await startWebhookSystem(
    { ANNALS_WEBHOOK_SWEEP_INTERVAL_MS: "86400000" },
    { without: ["nats"] },
  );
  const { client, subscribers } = await begin();
  await postAll(client, 20);
  // Twice as long as the sweep would need.
  await pause(4_000);
  expect(subscribers.map((one) => missing(one, 20))).toEqual([20, 20, 20]);
});
