// Guarantee: what a receiver of a sink has lost is found by the query of docs/sinks.md, and a replay heals
// it. An erasure reaches a sink through its filter, and a part that is left out is in no record.

import { eventually } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { missingIn, repeatedIn, SinkServer, sinkTo } from "../system/sinks-load.ts";
import { sharedWebhookSystem } from "../system/webhook-constellation.ts";
import type { Client } from "../system/webhooks-load.ts";

const EVENTS = 300;
const BATCH = 100;
const DROPPED = [17, 18, 150, 299, 300];

let system: Awaited<ReturnType<typeof sharedWebhookSystem>>;
beforeAll(async () => {
  system = await sharedWebhookSystem();
});
afterAll(() => system.close());

async function store(client: Client, count: number, given: object = {}): Promise<void> {
  for (let stored = 0; stored < count; stored += BATCH) {
    const length = Math.min(BATCH, count - stored);
    const events = Array.from({ length }, () => ({ action: "invoice.created", ...given }));
    expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
  }
}

async function missing({ lines }: SinkServer) {
  const ranges = await missingIn(lines, system.stack.databaseUrl);
  return ranges.map(({ from, to }) => [from, to]);
}

test("a receiver that drops records can name them, and a replay brings them", async () => {
  const client = await system.client();
  const server = await SinkServer.start(system);
  server.keeps = ({ sequence_number: number }) => !DROPPED.includes(number ?? 0);
  const id = await sinkTo(client, server.subscriber);
  await store(client, EVENTS + 1);
  const last = () => server.numbers(client.accountId).at(-1);
  await eventually("the last event has arrived", () => last() === EVENTS + 1);
  expect(await missing(server)).toEqual([
    [17, 18],
    [150, 150],
    [299, 300],
  ]);
  server.keeps = () => true;
  const replay = { from_sequence_number: 17 };
  expect((await client.post(`/v1/sinks/${id}/replay`, replay)).status).toBe(200);
  await eventually(
    "all events have arrived",
    () => server.numbers(client.accountId).length === EVENTS + 1,
  );
  expect(await missing(server)).toEqual([]);
  expect(repeatedIn(server.lines, client.accountId)).toBe(EVENTS + 1 - 16 - DROPPED.length);
  const { body } = await client.get(`/v1/sinks/${id}/status`);
  expect(body.data).toMatchObject({ status: "active", head: EVENTS + 1, last_error: null });
});

test("a test sends one checkpoint, and says why a receiver refuses it", async () => {
  const client = await system.client();
  const server = await SinkServer.start(system);
  const id = await sinkTo(client, server.subscriber);
  const tested = async () => (await client.post(`/v1/sinks/${id}/test`)).body.data;
  expect(await tested()).toEqual({ success: true, error: null });
  expect(server.lines).toMatchObject([
    {
      action: "annals.sink.checkpoint",
      chain: client.accountId,
      metadata: { sink: id, from: 1, to: 0, count: 0, filtered: false },
    },
  ]);
  server.status = () => 403;
  const { error, success } = await tested();
  expect([success, error]).toEqual([false, expect.stringContaining("403")]);
});

test("an erasure reaches a sink through its filter, and what is left out never does", async () => {
  const client = await system.client();
  const server = await SinkServer.start(system);
  const filter = { action: ["user.*"] };
  await sinkTo(client, server.subscriber, { filter, leave_out: ["metadata", "actor.meta"] });
  const metadata = { text: "left out" };
  const actor = { id: "ada", type: "user", meta: { email: "left out" } };
  await store(client, 3, { metadata, actor });
  await store(client, 1, { action: "user.deleted", metadata, actor });
  const erasure = { actor_id: "ada", parts: ["actor"] };
  const { body } = await client.post("/v1/erasures", erasure);
  await eventually("the erasure is recorded", () =>
    server.lines.some(({ action }) => action === "annals.erasure"),
  );
  expect(server.lines.map(({ action }) => action)).toEqual(["user.deleted", "annals.erasure"]);
  expect(JSON.stringify(server.lines)).toContain(body.data.id);
  expect(JSON.stringify(server.lines)).not.toContain("left out");
});
