// Guarantee: with short delays in place of the real ones, attempts come on time, none early; the record is
// right after each; restarting every service between attempts changes nothing. The real delays are tested
// under a set time in services/webhook-dispatcher/src/workers/schedule.test.ts.

import { eventually, type Received } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "./webhook-constellation.ts";

const DELAYS_S = [1, 2, 3];
/** How late an attempt may be. */
const LATE_MS = 5_000;

let system: WebhookSystem;
beforeAll(async () => {
  system = await startWebhookSystem({ ANNALS_WEBHOOK_RETRY_DELAYS_S: DELAYS_S.join(",") });
});
afterAll(() => system.stop());

function expectSameEachTime(received: readonly Received[]): void {
  expect(new Set(received.map(({ body }) => body.toString("hex"))).size).toBe(1);
  for (const name of ["x-service-signature", "webhook-id", "content-type"]) {
    expect(new Set(received.map(({ headers }) => headers[name])).size).toBe(1);
  }
}

test("four attempts on time, and the record after each", async () => {
  const client = await system.client();
  const subscriber = await system.subscriber();
  subscriber.answer = (response, _, count) => void response.writeHead(500 + count).end();
  const { body } = await client.post("/v1/webhooks", { url: subscriber.url(), events: ["*"] });
  const record = async () =>
    (await client.get(`/v1/webhooks/${body.data.id}/deliveries`)).body.data[0];
  await client.post("/v1/events", { action: "user.login" });
  for (const attempts of [1, 2, 3, 4]) {
    await subscriber.waitFor(attempts);
    const seen = await eventually("the record", async () => {
      const one = await record();
      return one?.attempts === attempts && one;
    });
    expect(seen).toMatchObject({
      event: "event.created",
      status: "failed",
      status_code: 499 + attempts,
    });
    expect(seen).not.toHaveProperty("delivered_at");
    const delayS = DELAYS_S[attempts - 1];
    if (delayS === undefined) expect(seen.next_retry_at).toBeNull();
    else {
      const gap = Date.parse(seen.next_retry_at) - Date.parse(seen.last_attempt_at);
      expect(gap).toBe(delayS * 1000);
    }
  }
  const { received } = subscriber;
  for (const [index, delayS] of DELAYS_S.entries()) {
    const gapMs = (received[index + 1]?.at ?? 0) - (received[index]?.at ?? 0);
    expect(gapMs).toBeGreaterThanOrEqual(delayS * 1000);
    expect(gapMs).toBeLessThan(delayS * 1000 + LATE_MS);
  }
  expectSameEachTime(received);
});

test("every service restarted between attempts", async () => {
  const client = await system.client();
  const subscriber = await system.subscriber();
  subscriber.answer = (response, _, count) => void response.writeHead(count < 3 ? 503 : 200).end();
  const { body } = await client.post("/v1/webhooks", { url: subscriber.url(), events: ["*"] });
  await client.post("/v1/events", { action: "user.login" });
  for (const attempts of [1, 2, 3]) {
    await subscriber.waitFor(attempts, 30_000);
    await Promise.all(
      ["webhook-dispatcher", "ledger", "export", "keys"].map((name) =>
        system.processOf(name).restart(),
      ),
    );
  }
  await subscriber.waitFor(4, 30_000);
  const record = await eventually("the record", async () => {
    const [one] = (await client.get(`/v1/webhooks/${body.data.id}/deliveries`)).body.data;
    return one?.attempts === 4 && one;
  });
  expect(record).toMatchObject({ status: "success", status_code: 200, next_retry_at: null });
  expect(record.delivered_at).toMatch(/Z$/);
  expect(record).not.toHaveProperty("last_attempt_at");
  expectSameEachTime(subscriber.received);
  for (const [index, delayS] of DELAYS_S.entries()) {
    const gapMs = (subscriber.received[index + 1]?.at ?? 0) - (subscriber.received[index]?.at ?? 0);
    expect(gapMs).toBeGreaterThanOrEqual(delayS * 1000);
  }
});
