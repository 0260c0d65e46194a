// Guarantee: one receiver that accepts and never answers, with 2,000 deliveries in its queue, does not slow
// a healthy one.

import { afterAll, beforeAll, expect, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "./webhook-constellation.ts";

const QUEUED = 2_000;
const MEASURED = 150;
/** From the 201 to the arrival. */
const P99_MS = 1_000;
/** Beyond twice its own figure alone: what two busy processors add to a figure this small. */
const NOISE_MS = 150;

let system: WebhookSystem;
beforeAll(async () => {
  system = await startWebhookSystem();
});
afterAll(() => system.stop());

test("a healthy receiver beside one that hangs", async () => {
  const client = await system.client();
  const healthy = await system.subscriber();
  const at = new Map<string, number>();
  healthy.answer = (response, { json, at: arrived }) => {
    at.set(json.data.id, arrived);
    response.writeHead(204).end();
  };
  await client.post("/v1/webhooks", { url: healthy.url(), events: ["event.created"] });

  const measure = async () => {
    const latencies: number[] = [];
    for (let i = 0; i < MEASURED; i++) {
      const before = healthy.received.length;
      const { body } = await client.post("/v1/events", { action: "measured" });
      const answered = performance.now();
      await healthy.waitFor(before + 1);
      latencies.push(Math.max(0, (at.get(body.data.id) ?? Infinity) - answered));
    }
    return latencies.toSorted((a, b) => a - b)[Math.floor(MEASURED * 0.99)] ?? Infinity;
  };
  await client.post("/v1/events", { action: "warm-up" });
  await healthy.waitFor(1);
  const alone = await measure();

  const other = await system.client();
  const hung = await system.subscriber();
  hung.answer = () => {};
  await other.post("/v1/webhooks", { url: hung.url(), events: ["*"] });
  for (let i = 0; i < QUEUED; i += 1_000) {
    const events = Array.from({ length: 1_000 }, () => ({ action: "queued" }));
    expect((await other.post("/v1/events/batch", { events })).status).toBe(201);
  }
  await hung.waitFor(10);
  const beside = await measure();
  // All its places are taken, and no more than those.
  expect(hung.openConnections).toBe(10);
  expect(beside).toBeLessThan(P99_MS);
  expect(beside).toBeLessThan(alone * 2 + NOISE_MS);
});
