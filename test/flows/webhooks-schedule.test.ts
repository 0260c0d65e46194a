// Guarantee: with short delays in place of the real ones, attempts come, none early, and in the full form
// none late; the record is right after each; restarting every service between attempts changes nothing. The
// real delays are tested under a set time in
// services/webhook-dispatcher/src/deliveries/worker/schedule.test.ts.

import { eventually, type HttpClient, type Received } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";

/** So long that a record is read before the next attempt, on a busy machine and after a restart too. */
const DELAYS_S = [2, 4, 4];
/** How late an attempt may be in the full form. */
const LATE_MS = inject("form").name === "full" ? 5_000 : Infinity;

let system: WebhookSystem;
beforeAll(async () => {
  system = await startWebhookSystem(
    { ANNALS_WEBHOOK_RETRY_DELAYS_S: DELAYS_S.join(",") },
    { shared: inject("stack") },
  );
});
afterAll(() => system.stop());

function expectSameEachTime(received: readonly Received[]): void {
  expect(new Set(received.map(({ body }) => body.toString("hex"))).size).toBe(1);
  for (const name of ["x-service-signature", "webhook-id", "content-type"]) {
    expect(new Set(received.map(({ headers }) => headers[name])).size).toBe(1);
  }
}

/** The only delivery of a webhook, as soon as that many attempts are in its record. */
async function recordAfter(client: HttpClient, webhookId: string, attempts: number) {
  return eventually("the record", async () => {
    const [one] = (await client.get(`/v1/webhooks/${webhookId}/deliveries`)).body.data;
    return one?.attempts === attempts && one;
  });
}

/** What the record says right after an attempt that failed with this status. */
// oxlint-disable-next-line typescript/no-explicit-any -- as it was answered
function expectFailed(record: any, attempts: number, statusCode: number): void {
  expect(record).toMatchObject({
    event: "event.created",
    status: "failed",
    status_code: statusCode,
  });
  expect(record).not.toHaveProperty("delivered_at");
  expect(record.last_attempt_at).toMatch(/Z$/);
  const delayS = DELAYS_S[attempts - 1];
  if (delayS === undefined) return expect(record.next_retry_at).toBeNull();
  const gap = Date.parse(record.next_retry_at) - Date.parse(record.last_attempt_at);
  expect(gap).toBe(delayS * 1000);
}

/** None early, none late; `servesAgainAt` is when there was a dispatcher again before each retry. */
function expectOnTime(received: readonly Received[], servesAgainAt: readonly number[] = []): void {
  for (const [index, delayS] of DELAYS_S.entries()) {
    const [before, after] = [received[index]?.at ?? Infinity, received[index + 1]?.at ?? 0];
    const dueAt = before + delayS * 1000;
    expect(after).toBeGreaterThanOrEqual(dueAt);
    expect(after).toBeLessThan(Math.max(dueAt, servesAgainAt[index] ?? 0) + LATE_MS);
  }
}

test("four attempts on time, and the record after each", async () => {
  const client = await system.client();
  const subscriber = await system.subscriber();
  subscriber.answer = (response, _, count) => void response.writeHead(500 + count).end();
  const { body } = await client.post("/v1/webhooks", { url: subscriber.url(), events: ["*"] });
  await client.post("/v1/events", { action: "user.login" });
  const posted = performance.now();
  for (const attempts of [1, 2, 3, 4]) {
    await subscriber.waitFor(attempts);
    expectFailed(await recordAfter(client, body.data.id, attempts), attempts, 499 + attempts);
  }
  const { received } = subscriber;
  expect(received[0]?.at).toBeLessThan(posted + LATE_MS);
  expectOnTime(received);
  expectSameEachTime(received);
});

test("every service restarted between attempts", async () => {
  const client = await system.client();
  const subscriber = await system.subscriber();
  subscriber.answer = (response, _, count) => void response.writeHead(count < 3 ? 503 : 200).end();
  const { body } = await client.post("/v1/webhooks", { url: subscriber.url(), events: ["*"] });
  await client.post("/v1/events", { action: "user.login" });
  const dispatcher = system.processOf("webhook-dispatcher");
  const servesAgainAt: number[] = [];
  for (const attempts of [1, 2, 3]) {
    await subscriber.waitFor(attempts, 30_000);
    expectFailed(await recordAfter(client, body.data.id, attempts), attempts, 503);
    // While it is away no attempt can be made: all others are new when the next comes.
    await dispatcher.stop();
    const others = ["gateway", "keys", "ledger", "export", "nats"];
    await Promise.all(others.map((name) => system.processOf(name).restart()));
    dispatcher.start();
    await dispatcher.waitReady();
    servesAgainAt.push(performance.now());
    expect(subscriber.received.length).toBeLessThanOrEqual(attempts + 1);
  }
  await subscriber.waitFor(4, 30_000);
  const record = await recordAfter(client, body.data.id, 4);
  expect(record).toMatchObject({ status: "success", status_code: 200, next_retry_at: null });
  expect(record.delivered_at).toMatch(/Z$/);
  expect(record).not.toHaveProperty("last_attempt_at");
  expectSameEachTime(subscriber.received);
  expectOnTime(subscriber.received, servesAgainAt);
});
