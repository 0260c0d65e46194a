// Guarantee: everything that happens after a webhook was made is told to it, once, in order,
// whatever notices come, are lost or come twice, and however many replicas look at the same time.
// Nothing that was before is told.

import { describe, expect, test } from "vitest";
import { createRegistry } from "@annals/chassis";
import { eventually } from "@annals/testing";
import { createMetrics } from "../metrics.ts";
import {
  FakeProducers,
  log,
  newAccountId,
  newDatabase,
  newHandlers,
  newReplica,
} from "../testing/dispatcher.ts";
import { startSweep } from "./sweep.ts";

async function begin() {
  const database = await newDatabase();
  const producers = new FakeProducers();
  const handlers = newHandlers(database.pool(), producers);
  const replica = () => newReplica(database.pool(), { producers });
  /** Sequence numbers that a webhook was told of, in the order of its queue. */
  const told = async (webhookId: string): Promise<number[]> => {
    const rows = await database.query<{ n: number }>(
      `SELECT (convert_from(body, 'UTF8')::jsonb #>> '{data,sequence_number}')::integer AS n
       FROM webhooks.deliveries WHERE webhook_id = $1 ORDER BY number`,
      [webhookId],
    );
    return rows.map(({ n }) => n);
  };
  return { database, handlers, producers, replica, told };
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("a webhook is told of what lies after it, in order, page by page", async () => {
  const { handlers, producers, replica, told } = await begin();
  const accountId = newAccountId();
  producers.add(accountId, "events", 250);
  const first = await handlers.create(accountId);
  producers.add(accountId, "events", 250);
  const second = await handlers.create(accountId);
  await replica().produce(accountId, 250);
  expect(await told(first.webhook.id)).toEqual(range(251, 750));
  expect(await told(second.webhook.id)).toEqual(range(501, 750));
  // What lies before the first was not even read.
  expect(producers.asked).toBeLessThanOrEqual(6);
});

test("a webhook is told only of what it asks for", async () => {
  const { handlers, replica, told } = await begin();
  const accountId = newAccountId();
  const { webhook } = await handlers.create(accountId, { events: ["event.verified"] });
  const all = await handlers.create(accountId);
  const a = replica();
  await a.produce(accountId, 3, "events");
  await a.produce(accountId, 2, "verifications");
  await a.produce(accountId, 1, "exports");
  expect(await told(webhook.id)).toEqual([1, 2]);
  expect(await told(all.webhook.id)).toEqual([1, 2, 3, 1, 2, 1]);
  // From now on also of exports, and of none before.
  await handlers.update(accountId, webhook.id, { events: ["event.verified", "export.completed"] });
  await a.produce(accountId, 1, "exports");
  await a.produce(accountId, 1, "verifications");
  expect(await told(webhook.id)).toEqual([1, 2, 2, 3]);
});

test("an account without subscribers is passed by, and a webhook made later begins there", async () => {
  const { handlers, producers, replica, told } = await begin();
  const accountId = newAccountId();
  const { webhook } = await handlers.create(accountId);
  await handlers.update(accountId, webhook.id, { active: false });
  await replica().produce(accountId, 5_000);
  expect(producers.asked).toBe(0);
  const later = await handlers.create(accountId);
  await replica().produce(accountId, 3);
  expect(await told(later.webhook.id)).toEqual([5_001, 5_002, 5_003]);
});

describe("once", () => {
  test("four replicas that get every notice three times", async () => {
    const { handlers, producers, replica, told } = await begin();
    const accountId = newAccountId();
    const webhooks = [await handlers.create(accountId), await handlers.create(accountId)];
    const replicas = Array.from({ length: 4 }, replica);
    for (let round = 0; round < 40; round++) {
      const position = producers.add(accountId, "events", 7);
      for (const { fanOut } of [...replicas, ...replicas, ...replicas]) {
        fanOut.notify({ kind: "events", accountId, position });
      }
      if (round % 5 === 0) await Promise.all(replicas.map(({ fanOut }) => fanOut.settled()));
    }
    await Promise.all(replicas.map(({ fanOut }) => fanOut.settled()));
    for (const { webhook } of webhooks) expect(await told(webhook.id)).toEqual(range(1, 280));
  });

  test("ids of deliveries and payloads never repeat", async () => {
    const { database, handlers, replica } = await begin();
    const accountId = newAccountId();
    await handlers.create(accountId);
    await handlers.create(accountId);
    await replica().produce(accountId, 300);
    const [row] = await database.query(
      `SELECT count(DISTINCT id) AS ids, count(DISTINCT payload_id) AS payloads,
         bool_and(convert_from(body, 'UTF8')::jsonb ->> 'id' = payload_id) AS agree FROM webhooks.deliveries`,
    );
    expect(row).toEqual({ ids: "600", payloads: "600", agree: true });
  });
});

test("a gap is not passed over: nothing is told, and the cursor stays", async () => {
  const { database, handlers, producers, replica, told } = await begin();
  const accountId = newAccountId();
  const { webhook } = await handlers.create(accountId);
  producers.add(accountId, "events", 3);
  const rows = producers.rows.get(`events ${accountId}`) ?? [];
  const [lost] = rows.splice(1, 1);
  const a = replica();
  a.fanOut.notify({ kind: "events", accountId, position: 3n });
  await a.fanOut.settled();
  // Page by page down to single entries, it tells what lies before the gap.
  expect(await told(webhook.id)).toEqual([1]);
  if (lost) rows.splice(1, 0, lost);
  a.fanOut.notify({ kind: "events", accountId, position: 3n });
  await a.fanOut.settled();
  expect(await told(webhook.id)).toEqual([1, 2, 3]);
  const [cursor] = await database.query(
    "SELECT position FROM webhooks.cursors WHERE kind = 'events'",
  );
  expect(cursor).toEqual({ position: "3" });
});

test("the sweep finds what no notice told of, and a producer that is away does not keep it from others", async () => {
  const { database, handlers, producers, replica, told } = await begin();
  const accountId = newAccountId();
  const { webhook } = await handlers.create(accountId);
  const { fanOut } = replica();
  const sweep = startSweep({
    database: database.pool(),
    fanOut,
    log,
    metrics: createMetrics(createRegistry("test")),
    producers: {
      positions: async (ids, kinds) => {
        if (kinds?.includes("exports")) throw new Error("the export service is away");
        return producers.positions(ids);
      },
    },
    intervalMs: 20,
  });
  producers.add(accountId, "events", 5);
  await eventually("the sweep found it", async () => (await told(webhook.id)).length === 5);
  await sweep.stop();
  await fanOut.settled();
  producers.add(accountId, "events", 5);
  expect(await told(webhook.id)).toEqual(range(1, 5));
});
