// Guarantee: a sink's receiver has each number of the chain, in order, and what comes again is the same
// event, although dispatchers and PostgreSQL are killed, and the receiver refuses, cuts connections and is
// away. A sink of another account, whose receiver hangs, delays none of it.

import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { ownerOf } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { SinkServer, sinkTo } from "../system/sinks-load.ts";
import { allServing } from "../system/testbed.ts";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import type { Client } from "../system/webhooks-load.ts";
import { report } from "./report.ts";
import { runningPostgres } from "./running-postgres.ts";

const { events, kills, crashes } = inject("form").sinks;
const BATCH = 100;
const READY_MS = 60_000;
/** Between two kills at most. */
const MAX_LIFE_MS = 2_000;
const RETRY_MS = 100;

let system: WebhookSystem;
beforeAll(async () => {
  system = await startWebhookSystem({}, { replicas: { "webhook-dispatcher": 2 } });
});
afterAll(() => system.stop());

/** Stores events until each batch was answered with 201. */
async function store(client: Client, count: number): Promise<void> {
  for (let stored = 0; stored < count; stored += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, at) => ({
      action: "invoice.created",
      actor: { id: `u_${stored + at}` },
      metadata: { text: "Ünï ".repeat(randomInt(50)) },
    }));
    const key = { headers: { "idempotency-key": `batch-${stored}` } };
    for (;;) {
      const answer = await client.post("/v1/events/batch", { events: batch }, key).catch(() => {});
      if (answer?.status === 201) break;
      await pause(RETRY_MS);
    }
  }
}

async function killSome(): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    const victim = system.processOf("webhook-dispatcher", (kill % 2) + 1);
    victim.kill("SIGKILL");
    await victim.exited();
    await victim.waitReady(READY_MS);
    await pause(randomInt(MAX_LIFE_MS));
  }
}

async function crashPostgres(): Promise<void> {
  const owner = ownerOf(system.stack.databaseUrl);
  for (let crash = 0; crash < crashes; crash += 1) {
    const { kill, gone } = await runningPostgres({ stack: system.stack, owner });
    kill(crash % 2 === 1);
    await gone();
    await allServing(system.stack);
  }
  await owner.close();
}

test("dispatchers and PostgreSQL are killed, and the receiver fails in every way", async () => {
  const client = await system.client();
  const server = await SinkServer.start(system);
  const other = await system.client();
  const hanging = await system.subscriber();
  hanging.answer = () => {};
  await sinkTo(other, hanging);
  await store(other, BATCH);
  await hanging.waitFor(1);
  await sinkTo(client, server.subscriber);
  const statuses = [200, 200, 503, 200, 429, undefined, 500, 200, 404];
  let isFaulty = true;
  server.status = () => (isFaulty ? statuses[randomInt(statuses.length)] : 200);
  await Promise.all([store(client, events), killSome()]);
  await crashPostgres();
  isFaulty = false;
  const expected = Array.from({ length: events }, (_, at) => at + 1);
  expect(await server.arrived(client.accountId, events)).toEqual(expected);
  const repeated = server.repeated(client.accountId);
  report({ events, kills, crashes, missing: 0, repeated });
});
