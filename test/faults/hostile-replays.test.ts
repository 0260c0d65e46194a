// Guarantee: 100 replays at once of 100 large events by one account fail no request of another, keep ledger
// and dispatcher within their memory, and store no payload. The report has the other account's p99 alone and
// meanwhile. That replays take turns, and their bounds, are no settings of this file's: without them
// services/webhook-dispatcher/src/deliveries/rpc/replays.test.ts fails.

import { type Answer, eventually, ownerOf, type Subscriber } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import type { ReplayTarget } from "./hostile-replays-attacks.ts";
import { aloneFor, attackFrom, type Noticed, type Other, underAttack } from "./under-attack.ts";

const EVENTS = 100;
const EVENT_BYTES = 60_000;
const MIB = 1024 * 1024;
/** A delivery without its body, with its entries in the indexes, takes about 600 bytes. */
const MAX_TABLES_BYTES = 128 * MIB;
const FOR_MS = inject("form").name === "full" ? 60_000 : 5_000;

let system: WebhookSystem;
let owner: ReturnType<typeof ownerOf>;
let receiver: Subscriber;
let target: ReplayTarget;
let other: Other;
let alone: Noticed;

function expectCreated({ status, text }: Answer): void {
  if (status !== 201) throw new Error(`${status}: ${text}`);
}

beforeAll(async () => {
  system = await startWebhookSystem();
  owner = ownerOf(system.stack.databaseUrl);
  const [baseUrl = ""] = system.stack.baseUrls;
  const attacker = await system.client();
  receiver = await system.subscriber();
  receiver.answer = (response) => {
    receiver.received.length = 0;
    response.writeHead(204).end();
  };
  const text = "x".repeat(EVENT_BYTES);
  const event = { action: "a", metadata: { text } };
  for (let stored = 0; stored < EVENTS; stored += 50) {
    const events = Array.from({ length: 50 }, () => event);
    expectCreated(await attacker.post("/v1/events/batch", { events }));
  }
  const given = { url: receiver.url(), events: ["export.completed"] };
  const { id: webhookId } = (await attacker.post("/v1/webhooks", given)).body.data;
  expectCreated(await attacker.post(`/v1/webhooks/${webhookId}/test`));
  await eventually("the test delivery is recorded", async () => {
    const { body } = await attacker.get(`/v1/webhooks/${webhookId}/deliveries`);
    return body.data[0]?.status === "success";
  });
  target = { baseUrl, key: attacker.key, webhookId, events: EVENTS };
  other = { baseUrl, key: (await system.client()).key };
  alone = await aloneFor(other, FOR_MS);
});
afterAll(async () => {
  await owner?.close();
  await system?.stop();
});

const sizes = async () => {
  const [row] = await owner.query<{ deliveries: string; bodies: string; queued: string }>(
    `SELECT pg_total_relation_size('webhooks.deliveries') AS deliveries,
       (SELECT coalesce(sum(length(body)), 0) FROM webhooks.deliveries) AS bodies,
       (SELECT count(*) FROM webhooks.deliveries) AS queued`,
  );
  return {
    "deliveries MB": Number(row?.deliveries) / MIB,
    "bodies MB": Number(row?.bodies) / MIB,
    queued: Number(row?.queued),
  };
};

test("100 replays at once of 100 events of 60 KB", async () => {
  await underAttack(system, {
    other,
    alone,
    forMs: FOR_MS,
    begin: () => attackFrom(new URL("./hostile-replays-attacks.ts", import.meta.url), target),
    figures: () =>
      eventually("replays are queued", async () => {
        const queued = await sizes();
        return queued.queued > EVENTS && queued;
      }),
  });
  const after = await sizes();
  expect(after["bodies MB"]).toBeLessThan(1);
  expect(after["deliveries MB"] * MIB).toBeLessThan(MAX_TABLES_BYTES);
});
