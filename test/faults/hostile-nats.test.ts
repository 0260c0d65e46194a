// Guarantee: a service that was taken over cannot use NATS against the others. With the login of export,
// or of the dispatcher, it can neither purge, delete nor change the stream, nor publish for the ledger,
// nor hear what is for others; meanwhile the webhooks of an account come by notices, as ever. The control:
// with all rights each of these succeeds.

import { connectMessaging, type Messaging } from "@annals/messaging";
import { createLog } from "@annals/chassis";
import { eventually } from "@annals/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";

const log = createLog({ service: "test", level: "error" });
/** Longer than the test: what arrives was announced by a notice. */
const SWEEP_MS = "600000";
const EVENTS = 30;
const STREAM = "ANNALS_NOTICES";
/** On a machine that is busy: a refusal comes at once. */
const ANSWERED_WITHIN_MS = 30_000;
/** Calls of clients that do not own the stream. */
const ATTACKS = [
  `$JS.API.STREAM.PURGE.${STREAM}`,
  `$JS.API.STREAM.MSG.DELETE.${STREAM}`,
  `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.stolen`,
  "annals.notices.events",
  `$JS.API.STREAM.DELETE.${STREAM}`,
];

let system: WebhookSystem;
beforeAll(async () => {
  system = await startWebhookSystem({ ANNALS_WEBHOOK_SWEEP_INTERVAL_MS: SWEEP_MS });
});
afterAll(() => system.stop());

async function connectionOf(
  url: string | undefined,
): Promise<NonNullable<Messaging["connection"]>> {
  const messaging = await connectMessaging({ url, name: "attack", log });
  onTestFinished(() => messaging.close());
  const connection = await messaging.connected(AbortSignal.timeout(ANSWERED_WITHIN_MS));
  return connection ?? expect.fail("there is no connection");
}

/** What became of each attack: `refused`, or anything else. */
async function attack(url: string | undefined): Promise<string[]> {
  const connection = await connectionOf(url);
  const outcomes = ATTACKS.map((subject) =>
    connection.request(subject, "{}", { timeout: ANSWERED_WITHIN_MS }).then(
      () => "answered",
      ({ code }: { code?: string }) => (code === "PERMISSIONS_VIOLATION" ? "refused" : `${code}`),
    ),
  );
  return Promise.all(outcomes);
}

/** Whether the user hears anything of what others send while the account is busy. */
async function listening(url: string | undefined): Promise<() => number> {
  const connection = await connectionOf(url);
  let received = 0;
  for (const subject of ["annals.notices.>", "_INBOX.>", "$JS.>"])
    connection.subscribe(subject, { callback: (error) => void (received += error ? 0 : 1) });
  await connection.flush();
  return () => received;
}

test.each(["export", "webhook-dispatcher"] as const)("with the login of %s", async (service) => {
  const url = system.stack.natsUrls[service];
  const client = await system.client();
  const subscriber = await system.subscriber();
  const hook = { url: subscriber.url(), events: ["event.created"] };
  expect((await client.post("/v1/webhooks", hook)).status).toBe(201);
  const received = await listening(url);
  for (let n = 0; n < EVENTS; n += 1) {
    expect((await client.post("/v1/events", { action: "other.account" })).status).toBe(201);
    if (n % 10 === 0) expect(await attack(url)).toEqual(ATTACKS.map(() => "refused"));
  }
  expect(await subscriber.waitFor(EVENTS)).toHaveLength(EVENTS);
  expect(received()).toBe(0);
});

test("the control: with all rights nothing is refused, and everything is received", async () => {
  const received = await listening(system.stack.natsUrl);
  const client = await system.client();
  const subscriber = await system.subscriber();
  await client.post("/v1/webhooks", { url: subscriber.url(), events: ["event.created"] });
  await client.post("/v1/events", { action: "other.account" });
  await subscriber.waitFor(1);
  await eventually("notices are received", () => received() > 0);
  expect(await attack(system.stack.natsUrl)).not.toContain("refused");
});
