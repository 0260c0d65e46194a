// Guarantee: while a service that a request needs is away, the request is refused with server_error in the
// error shape, with Retry-After and the rate-limit headers, and sooner than one that waits for a service that
// hangs; requests that do not need it are served; and when it is back, all are.

import {
  inJson,
  inProtobuf,
  otlpRecord,
  otlpRequest,
} from "@annals/gateway/src/testing/otlp-requests.ts";
import { eventually, HttpClient, newClient, newKey } from "@annals/testing";
import type { ServiceName, Stack, StackProcess } from "@annals/local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectProtobufStatus, expectStatus } from "../api/refusal.ts";
import { startConstellation } from "../system/constellation.ts";
import { metricOf } from "../system/metric-of.ts";

let stack: Stack;
let accountId: string;
let client: HttpClient;

beforeAll(async () => {
  stack = await startConstellation({ rateLimitPerMinute: 100_000 });
  ({ accountId, client } = await newClient(stack));
});

afterAll(() => stack.stop());

const processOf = (service: ServiceName | "postgres"): StackProcess => {
  const found = stack.processes.find((one) => one.service === service);
  if (!found) throw new Error(`no ${service}`);
  return found;
};

const post = () => client.post("/v1/events", { action: "a" });

/** Uses a new key, which has no lease: keys is asked for its first request. */
const newlyKeyed = async () => client.as((await newKey(stack.databaseUrl, accountId)).key);

/** Requests that keys has admitted. */
const admitted = () =>
  metricOf(
    processOf("keys").adminUrl,
    "rpc_server_call_duration_seconds_count",
    'rpc_method="admit-requests"',
  );

/** Does the same while an earlier request waits for a service that hangs, and expects that it still does. */
async function whileAnotherWaits(
  [service, path]: readonly [ServiceName, string],
  work: () => Promise<void>,
): Promise<void> {
  const [before, asked] = [await admitted(), await newlyKeyed()];
  processOf(service).kill("SIGSTOP");
  let isWaiting = true;
  const waiting = asked.get(path).finally(() => (isWaiting = false));
  await eventually("it is admitted", async () => (await admitted()) > before);
  await work().finally(() => processOf(service).kill("SIGCONT"));
  expect(isWaiting).toBe(true);
  await waiting;
}

async function expectRefusal(ask: () => ReturnType<typeof post>): Promise<void> {
  const { status, body, headers } = await ask();
  expect(status).toBe(500);
  expect(body).toEqual({ error: { type: "server_error", message: expect.any(String) } });
  expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  expect(headers["x-ratelimit-limit"]).toBe("100000");
}

test.each<[ServiceName, string, string, readonly [ServiceName, string]]>([
  ["ledger", "/v1/events", "/v1/api-keys", ["export", "/v1/exports"]],
  ["export", "/v1/exports", "/v1/events", ["webhook-dispatcher", "/v1/webhooks"]],
  ["webhook-dispatcher", "/v1/webhooks", "/v1/events", ["export", "/v1/exports"]],
])("%s away: GET %s is refused, GET %s is served", async (service, needs, doesNot, hung) => {
  await processOf(service).stop();
  await whileAnotherWaits(hung, () => expectRefusal(() => client.get(needs)));
  expect((await client.get(doesNot)).status).toBe(200);
  processOf(service).start();
  await eventually(`${service} is back`, async () => (await client.get(needs)).status === 200);
});

test("ledger away: exporters of OpenTelemetry get a 503 that they retry, in either encoding", async () => {
  const records = otlpRequest(otlpRecord());
  const send = (type: string, body: Buffer) =>
    client.post("/v1/intake/otlp/v1/logs", body, { headers: { "content-type": type } });
  const sendJson = () => send("application/json", inJson(records));
  await processOf("ledger").stop();
  const json = await sendJson();
  expectStatus(json, 503);
  const protobuf = await send("application/x-protobuf", inProtobuf(records));
  expectProtobufStatus(protobuf, 503);
  for (const { headers } of [json, protobuf])
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  processOf("ledger").start();
  await eventually("ledger is back", async () => (await sendJson()).status === 200);
});

test("keys away: nothing is admitted, and what needs no key is served", async () => {
  const asked = await newlyKeyed();
  // The one that waits was admitted before.
  await whileAnotherWaits(["export", "/v1/exports"], async () => {
    const stopped = processOf("keys").stop();
    processOf("keys").kill("SIGKILL");
    await stopped;
    await expectRefusal(() => asked.post("/v1/events", { action: "a" }));
  });
  const { status } = await client.as(undefined).get("/openapi.json");
  expect(status).toBe(200);
  expect((await client.as(undefined).get("/v1/events")).status).toBe(401);
  processOf("keys").start();
  await eventually("keys is back", async () => (await post()).status === 201);
});

test("PostgreSQL crash: requests are refused until it is back, and nothing acknowledged is lost", async () => {
  const { body: before } = await post();
  processOf("postgres").kill("SIGKILL");
  await processOf("postgres").exited();
  await eventually("served again", async () => (await post()).status === 201, 30_000);
  const { body } = await client.get(`/v1/events/${before.data.id}`);
  expect(body).toEqual(before);
  expect((await client.get("/v1/verify")).body.data.valid).toBe(true);
});
