// Guarantee: a webhook with a filter receives exactly the events that lists with its values have, each once,
// although dispatchers are killed; the account's other webhooks receive all events.

import { eventually, type Subscriber } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import {
  type Client,
  expectNothingMissing,
  killDuringAttempts,
  KILLED_DISPATCHER,
  postAll,
  repeats,
} from "../system/webhooks-load.ts";

const EVENTS = 500;
const ARRIVED_MS = 60_000;

let system: WebhookSystem;
beforeAll(async () => {
  system = await startWebhookSystem(KILLED_DISPATCHER, {
    shared: inject("stack"),
    replicas: { "webhook-dispatcher": 2 },
  });
});
afterAll(() => system.stop());

async function webhook(client: Client, filter?: object) {
  const subscriber = await system.subscriber();
  const body = { url: subscriber.url(), events: ["event.created"], ...(filter && { filter }) };
  const { status, body: made } = await client.post("/v1/webhooks", body);
  expect(status).toBe(201);
  return { id: made.data.id as string, subscriber };
}

/** The numbers of the events that lists with these parameters have, ascending. */
async function listed(client: Client, ...lists: readonly Record<string, string>[]) {
  const found = new Set<number>();
  for (const filters of lists) {
    let cursor: string | null = "";
    while (cursor !== null) {
      const query = new URLSearchParams({ ...filters, limit: "100", ...(cursor && { cursor }) });
      const { body } = await client.get(`/v1/events?${String(query)}`);
      for (const { sequence_number: number } of body.data) found.add(number);
      cursor = body.next_cursor;
    }
  }
  return [...found].toSorted((a, b) => a - b);
}

const arrivedAt = ({ received }: Subscriber): number[] =>
  [...new Set(received.map(({ json }) => json.data.sequence_number as number))].toSorted(
    (a, b) => a - b,
  );

test("dispatchers are killed while they send", async () => {
  const client = await system.client();
  const some = await webhook(client, { action: ["event-1*", "event-77"] });
  const none = await webhook(client, { action: "event", actor_id: "u_1" });
  const all = await webhook(client);
  let isKilling = true;
  const victims = [1, 2].map((index) => system.processOf("webhook-dispatcher", index));
  const killing = killDuringAttempts(victims, [some.subscriber, all.subscriber]).finally(
    () => (isKilling = false),
  );
  const [{ count }] = await Promise.all([postAll(client, EVENTS, () => isKilling), killing]);
  await expectNothingMissing([all.subscriber], count);
  const wanted = await listed(client, { action: "event-1*" }, { action: "event-77" });
  expect(wanted.length).toBeGreaterThan(100);
  await eventually(
    "the others arrive",
    () => arrivedAt(some.subscriber).length >= wanted.length,
    ARRIVED_MS,
  );
  expect(arrivedAt(some.subscriber)).toEqual(wanted);
  expect(none.subscriber.received).toEqual([]);
  // Each event has one delivery, which may have been sent again after a kill.
  repeats([some.subscriber, all.subscriber]);
});

test("members are a conjunction, and values alternatives; another filter acts on later events", async () => {
  const client = await system.client();
  const filter = { actor_id: ["u_1", "u_2"], target_type: ["doc", "bill"] };
  const some = await webhook(client, filter);
  const all = await webhook(client);
  const events = Array.from({ length: 60 }, (_, index) => ({
    action: `user.${index % 2 === 0 ? "deleted" : "login"}`,
    actor: { id: `u_${index % 5}`, type: "user" },
    target: { id: `t_${index}`, type: ["doc", "bill", "file"][index % 3] },
  }));
  expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
  const wanted = await listed(
    client,
    ...filter.actor_id.flatMap((actor_id) =>
      filter.target_type.map((target_type) => ({ actor_id, target_type })),
    ),
  );
  expect(wanted).toHaveLength(16);
  const change = { filter: { action: "user.deleted" } };
  expect((await client.patch(`/v1/webhooks/${some.id}`, change)).status).toBe(200);
  expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
  await expectNothingMissing([all.subscriber], 120);
  const deleted = await listed(client, { action: "user.deleted", after_sequence: "60" });
  const both = [...wanted, ...deleted];
  await eventually(
    "all arrive",
    () => arrivedAt(some.subscriber).length >= both.length,
    ARRIVED_MS,
  );
  expect(arrivedAt(some.subscriber)).toEqual(both);
});
