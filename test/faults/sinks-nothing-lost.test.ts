// Guarantee: a sink's receiver has each number of the chain, in order, and what comes again is the same
// event, although dispatchers and PostgreSQL are killed, and the receiver refuses, cuts connections and is
// away. A sink of another account, whose receiver hangs, delays none of it.

import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { repeatedIn, SinkServer, sinkTo, storeEvents } from "../system/sinks-load.ts";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import { report } from "../system/report.ts";
import { crashPostgres, killDispatchers } from "./sink-faults.ts";

const { events, kills, crashes } = inject("form").sinks;
/** Events of the account whose receiver hangs. */
const OTHERS = 100;

let system: WebhookSystem;
beforeAll(async () => {
  system = await startWebhookSystem({}, { replicas: { "webhook-dispatcher": 2 } });
});
afterAll(() => system.stop());

test("dispatchers and PostgreSQL are killed, and the receiver fails in every way", async () => {
  const client = await system.client();
  const server = await SinkServer.start(system);
  const other = await system.client();
  const hanging = await system.subscriber();
  hanging.answer = () => {};
  await sinkTo(other, hanging);
  await storeEvents(other, OTHERS);
  await hanging.waitFor(1);
  await sinkTo(client, server.subscriber);
  const statuses = [200, 200, 503, 200, 429, undefined, 500, 200, 404];
  let isFaulty = true;
  server.status = () => (isFaulty ? statuses[randomInt(statuses.length)] : 200);
  await Promise.all([storeEvents(client, events), killDispatchers(system, kills)]);
  await crashPostgres(system, crashes);
  isFaulty = false;
  const expected = Array.from({ length: events }, (_, at) => at + 1);
  expect(await server.arrived(client.accountId, events)).toEqual(expected);
  const repeated = repeatedIn(server.lines, client.accountId);
  report({ events, kills, crashes, missing: 0, repeated });
});
