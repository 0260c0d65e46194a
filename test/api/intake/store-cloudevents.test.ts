// POST /v1/intake/cloudevents stores CloudEvents in each mode of the HTTP binding; a retry stores nothing
// twice; one bad event of a batch costs no other; OPTIONS allows a sender whose key may store
// (docs/intake.md).

import { HttpClient, newAccount, newKey, type TestAccount } from "@annals/testing";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const { baseUrl, databaseUrl } = inject("stack");
const PATH = "/v1/intake/cloudevents";
const NONE = { stored: 0, replayed: 0, reduced: 0, skipped: 0, rejected: 0, first_rejections: [] };
const EVENT = { specversion: "1.0", id: "1", source: "/billing", type: "invoice.update" };
const BINARY = {
  "ce-specversion": "1.0",
  "ce-id": "1",
  "ce-source": "/billing",
  "ce-type": "invoice.update",
};

let account: TestAccount;
let client: HttpClient;

beforeEach(async () => {
  account = await newAccount(databaseUrl);
  client = new HttpClient(baseUrl, account.key);
});

const send = (body: unknown, type: string, headers: Record<string, string> = {}) =>
  client.post(PATH, body, { headers: { "content-type": type, ...headers } });
const one = (event: unknown) => send(event, "application/cloudevents+json");
const batch = (events: unknown) => send(events, "application/cloudevents-batch+json");
const events = async () => (await client.get("/v1/events")).body.data;

describe("201", () => {
  test("for a structured event, which is replayed the second time", async () => {
    const event = { ...EVENT, subject: "inv_9", actorid: "u_1", data: { total: 1 } };
    expect(await one(event)).toMatchObject({ status: 201, body: { data: { ...NONE, stored: 1 } } });
    expect((await one(event)).body.data).toEqual({ ...NONE, replayed: 1 });
    expect(await events()).toMatchObject([
      {
        action: "invoice.update",
        actor: { id: "u_1" },
        target: { id: "inv_9" },
        metadata: { data: { total: 1 }, cloudevents: { source: "/billing" } },
      },
    ]);
  });

  test("for a binary event with JSON, with octets, and without data", async () => {
    const headers = { ...BINARY, "ce-subject": "%E2%82%AC%20x" };
    const json = await send({ total: 1 }, "application/json", headers);
    expect(json.body.data).toEqual({ ...NONE, stored: 1 });
    const octets = Buffer.from([0, 255]);
    await send(octets, "application/octet-stream", { ...BINARY, "ce-id": "2" });
    await client.send("POST", PATH, { headers: { ...BINARY, "ce-id": "3" } });
    expect(await events()).toMatchObject([
      { metadata: { cloudevents: { id: "3" } } },
      {
        metadata: {
          data_base64: "AP8=",
          cloudevents: { datacontenttype: "application/octet-stream" },
        },
      },
      { target: { id: "€ x" }, metadata: { data: { total: 1 } } },
    ]);
  });

  test("for a batch, of which a bad event costs no other, and for an empty one", async () => {
    expect((await batch([])).body.data).toEqual(NONE);
    const text = `[${JSON.stringify(EVENT)},{"id":1,"id":2},{},${JSON.stringify({ ...EVENT, id: "2" })}]`;
    expect((await batch(text)).body.data).toMatchObject({
      stored: 2,
      rejected: 2,
      first_rejections: [
        { index: 1, reason: "must be JSON that can be kept" },
        { index: 2, reason: "id is required" },
      ],
    });
  });

  test("for the same id with other content, which is marked, and stored once", async () => {
    await one(EVENT);
    expect((await one({ ...EVENT, data: 1 })).body.data).toMatchObject({ stored: 1 });
    expect((await batch([{ ...EVENT, data: 1 }])).body.data).toMatchObject({ replayed: 1 });
    const [second, first] = await events();
    expect(first.metadata).not.toHaveProperty("annals_conflict");
    expect(second.metadata).toMatchObject({ data: 1, annals_conflict: true });
  });

  test("for an event whose id another key has taken, with that key's own", async () => {
    const other = await newKey(databaseUrl, account.accountId, ["events:write"]);
    const headers = { "content-type": "application/cloudevents+json" };
    const by = new HttpClient(baseUrl, other.key);
    await by.post(PATH, JSON.stringify({ ...EVENT, data: "forged" }), { headers });
    expect((await one(EVENT)).body.data).toMatchObject({ stored: 1 });
    const [own] = await events();
    expect(own.metadata).not.toHaveProperty("annals_conflict");
  });

  test("for a number that a double does not keep, which becomes text", async () => {
    const text = JSON.stringify({ ...EVENT, data: "N" }).replace('"N"', "12345678901234567890");
    expect((await one(text)).body.data).toMatchObject({ stored: 1 });
    expect(await events()).toMatchObject([
      { metadata: { data: "12345678901234567890", annals_altered: true } },
    ]);
  });

  test("for a batch with an action of the service, which is rejected", async () => {
    const { body } = await batch([{ ...EVENT, type: "annals.erasure" }, EVENT]);
    expect(body.data).toMatchObject({ stored: 1, rejected: 1 });
  });
});

describe("422", () => {
  test.each([
    ["an event without an id", { ...EVENT, id: undefined }],
    ["an event beyond 64 KiB", { ...EVENT, data: "x".repeat(70_000) }],
    ["a member twice", '{"specversion":"1.0","id":"1","id":"2","source":"/","type":"a"}'],
    ["a type beyond 255 characters", { ...EVENT, type: "a".repeat(256) }],
    ["no JSON", "{"],
    ["no body", ""],
  ])("for %s", async (_, event) => {
    expectRefused(await one(event), "validation_error");
    expect(await events()).toEqual([]);
  });

  test.each(["application/cloudevents+xml", "application/cloudevents+json; charset=latin1"])(
    "for %s",
    async (type) => {
      expectRefused(await send(EVENT, type), "validation_error", { field: "Content-Type" });
    },
  );

  test("for a header that cannot be decoded", async () => {
    const answer = await send({}, "application/json", { ...BINARY, "ce-subject": "%FF" });
    expectRefused(answer, "validation_error", { field: "ce-subject" });
  });

  test("for 1,001 events", async () => {
    expectRefused(await batch(Array.from({ length: 1_001 }, () => ({}))), "validation_error");
  });
});

describe("OPTIONS", () => {
  /** Uses fetch: a handshake is not an operation of the document, to which the client holds all traffic. */
  const ask = async (headers: Record<string, string> = {}, key?: string) => {
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const sent = { method: "OPTIONS", headers: { ...headers, ...authorization } };
    const response = await fetch(baseUrl + PATH, sent);
    const text = await response.text();
    const body = text === "" ? undefined : JSON.parse(text);
    return { status: response.status, headers: Object.fromEntries(response.headers), text, body };
  };
  const origin = { "webhook-request-origin": "eventemitter.example.com" };

  test("allows the origin that asks, with the rate of the key", async () => {
    const { headers, status } = await ask(origin, account.key);
    expect(status).toBe(200);
    expect(headers["webhook-allowed-origin"]).toBe(origin["webhook-request-origin"]);
    expect(headers["webhook-allowed-rate"]).toBe(headers["x-ratelimit-limit"]);
  });

  test("is refused without an origin, without a key, and without the scope", async () => {
    expectRefused(await ask({}, account.key), "validation_error", {
      field: "WebHook-Request-Origin",
    });
    expectRefused(await ask(origin), "authentication_error");
    const { key } = await newKey(databaseUrl, account.accountId, ["events:read"]);
    const refused = await ask(origin, key);
    expectRefused(refused, "scope_error");
    expect(refused.headers).not.toHaveProperty("webhook-allowed-origin");
  });
});
