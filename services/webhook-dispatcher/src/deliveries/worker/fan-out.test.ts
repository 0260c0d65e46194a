// Guarantee: each entry after the creation of a webhook is queued for it, once and in order, whatever notices
// arrive, are lost or arrive twice, and however many replicas fan out at once. No entry from before is
// queued.

import { describe, expect, test, vi } from "vitest";
import { createRegistry } from "@annals/chassis";
import { eventually } from "@annals/testing";
import { createMetrics } from "../../metrics.ts";
import { log, newAccountId, newService } from "../../testing/dispatcher.ts";
import { startSweep } from "./sweep.ts";

async function begin() {
  const service = await newService();
  const { database } = service;
  /** Sequence numbers of the deliveries of a webhook, in the order of its queue. */
  const queued = async (webhookId: string): Promise<number[]> => {
    const rows = await database.query<{ n: number }>(
      "SELECT position::integer AS n FROM webhooks.deliveries WHERE webhook_id = $1 ORDER BY number",
      [webhookId],
    );
    return rows.map(({ n }) => n);
  };
  return { ...service, queued };
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("a webhook gets the entries after it, in order, page by page", async () => {
  const { handlers, producers, queued, replica } = await begin();
  const accountId = newAccountId();
  producers.add(accountId, "events", 250);
  const first = await handlers.create(accountId);
  producers.add(accountId, "events", 250);
  const second = await handlers.create(accountId);
  await replica().produce(accountId, 250);
  expect(await queued(first.webhook.id)).toEqual(range(251, 750));
  expect(await queued(second.webhook.id)).toEqual(range(501, 750));
  // Entries before the first webhook were not even read.
  expect(producers.reads).toBeLessThanOrEqual(6);
});

test("a webhook gets only the kinds to which it subscribes", async () => {
  const { handlers, queued, replica, subscribed } = await begin();
  const { accountId, webhook } = await subscribed({ events: ["event.verified"] });
  const all = await handlers.create(accountId);
  const a = replica();
  await a.produce(accountId, 3, "events");
  await a.produce(accountId, 2, "verifications");
  await a.produce(accountId, 1, "exports");
  expect(await queued(webhook.id)).toEqual([1, 2]);
  expect(await queued(all.webhook.id)).toEqual([1, 2, 3, 1, 2, 1]);
  // From now on also exports, and none from before.
  await handlers.update(accountId, webhook.id, { events: ["event.verified", "export.completed"] });
  await a.produce(accountId, 1, "exports");
  await a.produce(accountId, 1, "verifications");
  expect(await queued(webhook.id)).toEqual([1, 2, 2, 3]);
});

test("an account without subscribers is skipped, and a later webhook begins there", async () => {
  const { handlers, producers, queued, replica, subscribed } = await begin();
  const { accountId, webhook } = await subscribed();
  await handlers.update(accountId, webhook.id, { active: false });
  await replica().produce(accountId, 5_000);
  expect(producers.reads).toBe(0);
  const later = await handlers.create(accountId);
  await replica().produce(accountId, 3);
  expect(await queued(later.webhook.id)).toEqual([5_001, 5_002, 5_003]);
});

describe("once", () => {
  test("four replicas that get every notice three times", async () => {
    const { handlers, producers, queued, replica } = await begin();
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
    for (const { webhook } of webhooks) expect(await queued(webhook.id)).toEqual(range(1, 280));
  });

  test("ids of deliveries and payloads never repeat", async () => {
    const { database, handlers, replica, subscribed } = await begin();
    const { accountId } = await subscribed();
    await handlers.create(accountId);
    await replica().produce(accountId, 300);
    const [row] = await database.query(
      `SELECT count(DISTINCT id) AS ids, count(DISTINCT payload_id) AS payloads,
         count(DISTINCT position) AS positions FROM webhooks.deliveries`,
    );
    expect(row).toEqual({ ids: "600", payloads: "600", positions: "300" });
  });
});

test("a gap is not skipped: nothing behind it is queued, and the cursor stays", async () => {
  const { database, producers, queued, replica, subscribed } = await begin();
  const { accountId, webhook } = await subscribed();
  producers.add(accountId, "events", 3);
  const rows = producers.rows.get(`events ${accountId}`) ?? [];
  const [lost] = rows.splice(1, 1);
  const a = replica();
  a.fanOut.notify({ kind: "events", accountId, position: 3n });
  await a.fanOut.settled();
  // With ever smaller pages, what lies before the gap is queued.
  expect(await queued(webhook.id)).toEqual([1]);
  if (lost) rows.splice(1, 0, lost);
  a.fanOut.notify({ kind: "events", accountId, position: 3n });
  await a.fanOut.settled();
  expect(await queued(webhook.id)).toEqual([1, 2, 3]);
  const [cursor] = await database.query(
    "SELECT position FROM webhooks.cursors WHERE kind = 'events'",
  );
  expect(cursor).toEqual({ position: "3" });
});

test("a page whose read ends with the process is no failure, and another process queues it", async () => {
  const { producers, queued, replica, subscribed } = await begin();
  const { accountId, webhook } = await subscribed();
  const position = producers.add(accountId, "events", 3);
  const asked = Promise.withResolvers<void>();
  const read = Promise.withResolvers<never>();
  const a = replica();
  const entries = vi.spyOn(producers, "entries").mockImplementation(() => {
    asked.resolve();
    return read.promise;
  });
  a.fanOut.notify({ kind: "events", accountId, position });
  await asked.promise;
  const stopped = a.fanOut.stop();
  read.reject(new Error("the service stops"));
  await stopped;
  entries.mockRestore();
  const { values: failures } = await a.metrics.failures.get();
  expect(failures.filter(({ value }) => value > 0)).toEqual([]);
  const b = replica();
  b.fanOut.notify({ kind: "events", accountId, position });
  await b.fanOut.settled();
  expect(await queued(webhook.id)).toEqual(range(1, 3));
});

test("the sweep finds what no notice announced, and an unreachable producer does not keep it from others", async () => {
  const { database, producers, queued, replica, subscribed } = await begin();
  const { accountId, webhook } = await subscribed();
  const { fanOut } = replica();
  const metrics = createMetrics(createRegistry("test"));
  const sweep = startSweep({
    database: database.pool(),
    fanOut,
    log,
    metrics,
    producers: {
      positions: async (ids, kinds) => {
        if (kinds?.includes("exports")) throw new Error("the export service is unreachable");
        return producers.positions(ids);
      },
    },
    intervalMs: 20,
  });
  producers.add(accountId, "events", 5);
  await eventually("the sweep found it", async () => (await queued(webhook.id)).length === 5);
  await sweep.stop();
  const { values: failures } = await metrics.failures.get();
  const failed = failures.filter(({ value }) => value > 0);
  expect(failed).toMatchObject([{ labels: { worker: "sweep" } }]);
  await fanOut.settled();
  producers.add(accountId, "events", 5);
  expect(await queued(webhook.id)).toEqual(range(1, 5));
});

test("the sweep goes on with its last list if it cannot read another", async () => {
  const { database, producers, queued, replica, subscribed } = await begin();
  const { accountId, webhook } = await subscribed();
  const { fanOut } = replica();
  const pool = database.pool();
  let isAway = false;
  const sweep = startSweep({
    database: {
      run: (statement, params) =>
        isAway ? Promise.reject(new Error("a server is away")) : pool.run(statement, params),
    },
    fanOut,
    log,
    metrics: createMetrics(createRegistry("test")),
    producers: { positions: async (ids) => producers.positions(ids) },
    intervalMs: 20,
  });
  producers.add(accountId, "events", 1);
  await eventually("the sweep found one", async () => (await queued(webhook.id)).length === 1);
  isAway = true;
  producers.add(accountId, "events", 1);
  await eventually("the sweep found two", async () => (await queued(webhook.id)).length === 2);
  await sweep.stop();
  expect(await queued(webhook.id)).toEqual(range(1, 2));
});
