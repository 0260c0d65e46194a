// Every response has the rate-limit headers, every response under /v1 forbids to keep a copy, and every error
// has the error shape: those of the routes, of the router and of the parser (interface 3 and 4). Without a
// known key, Remaining equals Limit.

import { type Answer, HttpClient, newClient } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { exchange } from "../edge/raw-socket.ts";
import { expectLimitShown, expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { baseUrl } = stack;
const { client } = await newClient(stack);
const LIMIT = "100000";
let reader: HttpClient;
let keyId: string;

beforeAll(async () => {
  const { data } = (await client.post("/v1/api-keys", { name: "r", scopes: ["verify"] })).body;
  reader = client.as(data.key);
  keyId = data.id;
});

/** It can hold a secret, or an event. */
const PRIVATE = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

const remaining = ({ headers }: Answer) => Number(headers["x-ratelimit-remaining"]);

describe("with a key, each answer shows one request less", () => {
  const full = () => client;

  test.each<[number, string, () => HttpClient, (by: HttpClient) => Promise<Answer>]>([
    [200, "a list", full, (by) => by.get("/v1/api-keys")],
    [201, "a creation", full, (by) => by.post("/v1/events", { action: "a" })],
    [403, "a missing scope", () => reader, (by) => by.get("/v1/api-keys")],
    [404, "no such resource", full, (by) => by.get("/v1/events/evt_1")],
    [404, "no such path", full, (by) => by.get("/v1/nope")],
    [404, "no such path, with a body that is no JSON", full, (by) => by.post("/v1/nope", "{")],
    [404, "no such method", full, (by) => by.send("PUT", "/v1/api-keys")],
    [404, "a method of later HTTP", full, (by) => by.send("QUERY", "/v1/api-keys")],
    [422, "a bad body", full, (by) => by.post("/v1/events", {})],
    [422, "no JSON", full, (by) => by.post("/v1/events", "{")],
    [422, "a bad query", full, (by) => by.get("/v1/events?limit=0")],
    [204, "a revocation", full, (by) => by.delete(`/v1/api-keys/${keyId}`)],
  ])("%i %s", async (status, _, caller, send) => {
    const by = caller();
    const before = await by.get("/v1/verify");
    const answer = await send(by);
    expect(answer.status).toBe(status);
    expectLimitShown(answer.headers);
    expect(answer.headers["x-ratelimit-limit"]).toBe(LIMIT);
    expect(remaining(answer)).toBe(remaining(before) - 1);
    expect(answer.headers).not.toHaveProperty("retry-after");
    expect(answer.headers).toMatchObject(PRIVATE);
    expect(answer.headers["x-request-id"]).toMatch(/^req_[0-9a-z]{26}$/);
  });
});

describe("without a known key, Remaining equals Limit", () => {
  const anonymous = new HttpClient(baseUrl);

  test.each<[number, string, () => Promise<Answer>]>([
    [200, "the OpenAPI document", () => anonymous.get("/openapi.json")],
    [401, "no key", () => anonymous.get("/v1/events")],
    [401, "no key and no such path", () => anonymous.get("/v1/nope")],
    [200, "what this is", () => anonymous.get("/")],
    [200, "the reference page", () => anonymous.get("/docs")],
    [404, "no such path outside /v1", () => anonymous.get("/none")],
    [404, "another version", () => client.get("/v2/events")],
    [422, "a path that is none", () => client.get("/v1/%zz")],
    [422, "too long a URL", () => client.get(`/v1/events?x=${"a".repeat(17_000)}`)],
  ])("%i %s", async (status, _, send) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.headers).toMatchObject(PRIVATE);
    expect(answer.headers["x-ratelimit-limit"]).toBe(LIMIT);
    expect(answer.headers["x-ratelimit-remaining"]).toBe(LIMIT);
  });

  test.each([
    ["not_found", "an unknown method", "FOO /v1/events HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["validation_error", "a broken request line", "GET /v1/events HTTQ\r\n\r\n"],
    [
      "validation_error",
      "headers of 40 kB",
      `GET /v1/events HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(40_000)}\r\n\r\n`,
    ],
  ])("%s for %s", async (type, _, text) => {
    const [answer] = await exchange(baseUrl, text);
    expectRefused(answer, type);
    expect(answer.headers).toMatchObject(PRIVATE);
    expect(answer.headers["x-ratelimit-limit"]).toBe(LIMIT);
    expect(answer.headers["x-ratelimit-remaining"]).toBe(LIMIT);
  });
});
