// Guarantees: intake counts in windows of its own, of the key and of the account, and takes nothing from
// those of other requests. Where a quota is used up the request is refused, so that its sender sends it
// again, and what was stored is replayed: no item is lost, and none is stored twice.

import { type Answer, newClient, ownerOf } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectProtobufStatus, expectRefused, expectStatus } from "../api/refusal.ts";
import {
  INTAKE_RATE_LIMIT as INTAKE_LIMIT,
  RATE_LIMIT as LIMIT,
  shared,
  type SharedSystem,
} from "../system/shared-systems.ts";

let system: SharedSystem;
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  system = await shared("replicas");
  owner = ownerOf(system.databaseUrl);
});

afterAll(() => owner.close());

const PATH = "/v1/intake/kubernetes";
const item = (number: number) => ({
  auditID: `id-${number}`,
  stage: "ResponseComplete",
  verb: "delete",
  objectRef: { resource: "pods" },
});
const list = (count: number) => ({
  kind: "EventList",
  apiVersion: "audit.k8s.io/v1",
  items: Array.from({ length: count }, (_, n) => item(n)),
});

const shown = ({ headers }: Answer) => [
  Number(headers["x-ratelimit-limit"]),
  Number(headers["x-ratelimit-remaining"]),
];
const setPlan = (accountId: string, plan: string) =>
  owner.query("UPDATE keys.accounts SET plan = $2 WHERE account_id = $1", [accountId, plan]);

test("a key has its limit of intake, and all of its other requests beside it", async () => {
  const { client } = await newClient(system);
  for (let n = 1; n <= INTAKE_LIMIT; n += 1)
    expect(shown(await client.post(PATH, list(1)))).toEqual([INTAKE_LIMIT, INTAKE_LIMIT - n]);
  const beyond = await client.post(PATH, list(1));
  expectRefused(beyond, "rate_limit_exceeded", {
    message: /^Rate limit reached: 25 requests per minute for this key/,
  });
  expect(Number(beyond.headers["retry-after"])).toBeGreaterThan(0);
  expect((await client.post("/v1/intake/cloudevents", {})).status).toBe(429);
  for (let n = 1; n <= LIMIT; n += 1)
    expect(shown(await client.get("/v1/events"))).toEqual([LIMIT, LIMIT - n]);
  expect((await client.get("/v1/events")).status).toBe(429);
});

test("exporters of OpenTelemetry are refused as their protocol says, in either encoding", async () => {
  const { accountId, client } = await newClient(system);
  await setPlan(accountId, "narrow");
  const send = (type: string, body: string | Buffer) =>
    client.post("/v1/intake/otlp/v1/logs", body, { headers: { "content-type": type } });
  await Promise.all(Array.from({ length: 7 }, () => send("application/json", "{}")));
  const inJson = await send("application/json", "{}");
  expectStatus(inJson, 429, /^Rate limit reached/);
  const inProtobuf = await send("application/x-protobuf", Buffer.alloc(0));
  expectProtobufStatus(inProtobuf, 429);
  for (const { headers } of [inJson, inProtobuf])
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
});

test("an account has the limit of its plan, which its other requests do not use", async () => {
  const { accountId, client } = await newClient(system);
  await setPlan(accountId, "narrow");
  await client.get("/v1/events");
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.post(PATH, list(1))));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
  expect((await client.get("/v1/events")).status).toBe(200);
});

test("a quota that ends within a body: a retry stores the rest, and nothing twice", async () => {
  const { accountId, client } = await newClient(system);
  await setPlan(accountId, "few");
  for (const _ of [1, 2]) {
    const refused = await client.post(PATH, list(5));
    expectRefused(refused, "plan_limit_exceeded");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await client.get("/v1/events")).body.data).toHaveLength(3);
  }
  await setPlan(accountId, "more");
  const { body } = await client.post(PATH, list(5));
  expect(body.data).toMatchObject({ stored: 2, replayed: 3 });
  expect((await client.get("/v1/events")).body.data).toHaveLength(5);
});
