// POST /v1/intake/kubernetes stores each item of an EventList for itself: what was stored before is replayed,
// one bad item costs no other, and a body that is none stores nothing (docs/intake.md).

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { HttpClient, newAccount, type TestAccount } from "@annals/testing";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const { baseUrl, databaseUrl } = inject("stack");
const PATH = "/v1/intake/kubernetes";
const SAMPLE = readFileSync(
  join(
    import.meta.dirname,
    "../../../services/gateway/src/testing/kubernetes-audit/event-list.jsonl",
  ),
  "utf8",
).trim();

let account: TestAccount;
let client: HttpClient;

beforeEach(async () => {
  account = await newAccount(databaseUrl);
  client = new HttpClient(baseUrl, account.key);
});

const list = (items: readonly unknown[], more: object = {}) => ({
  kind: "EventList",
  apiVersion: "audit.k8s.io/v1",
  metadata: {},
  items,
  ...more,
});

const item = (number: number, more: object = {}) => ({
  auditID: `id-${number}`,
  stage: "ResponseComplete",
  verb: "delete",
  user: { username: "ada" },
  objectRef: { resource: "pods", namespace: "shop", name: `web-${number}` },
  requestReceivedTimestamp: "2026-01-31T09:30:00.000001Z",
  ...more,
});

const NONE = { stored: 0, replayed: 0, reduced: 0, skipped: 0, rejected: 0, first_rejections: [] };

const post = (body: unknown, path = PATH) => client.post(path, body);
const events = async () => (await client.get("/v1/events?limit=100")).body.data;

describe("201", () => {
  test("stores a recorded body, and replays it with the parameter of the API server", async () => {
    const counts = { ...NONE, stored: 9, skipped: 1 };
    const headers = { "content-type": "application/json" };
    const first = await client.send("POST", PATH, { body: SAMPLE, headers });
    expect(first).toMatchObject({ status: 201, body: { data: counts } });
    const again = await client.send("POST", `${PATH}?timeout=30s`, { body: SAMPLE, headers });
    expect(again.body.data).toEqual({ ...NONE, replayed: 9, skipped: 1 });
    expect(await events()).toHaveLength(9);
  });

  test("stores the items in their order, each with its own receipt in the chain", async () => {
    await post(list([item(1), item(2), item(3)]));
    const stored = await events();
    expect(stored.map(({ target }: { target: object }) => target)).toMatchObject([
      { id: "shop/web-3" },
      { id: "shop/web-2" },
      { id: "shop/web-1" },
    ]);
    const { body } = await client.get("/v1/verify");
    expect(body.data).toMatchObject({ valid: true, checked: 3 });
  });

  test("names the items that it rejects, and stores all others", async () => {
    const items = [item(1), { stage: "Panic" }, "none", item(2), item(3, { stage: "Other" })];
    const { body } = await post(list(items));
    expect(body.data).toMatchObject({ stored: 2, rejected: 3 });
    expect(body.data.first_rejections).toEqual([
      { index: 1, reason: "auditID is required" },
      { index: 2, reason: "must be a JSON object with distinct members" },
      { index: 4, reason: expect.stringMatching(/^stage must be one of/) },
    ]);
  });

  test("names ten rejected items, and counts all", async () => {
    const { body } = await post(list(Array.from({ length: 25 }, () => ({}))));
    expect(body.data.rejected).toBe(25);
    expect(body.data.first_rejections).toHaveLength(10);
  });

  test("stores two requests for which a client chose the same id", async () => {
    const { body } = await post(list([item(1), item(1, { verb: "create" })]));
    expect(body.data).toEqual({ ...NONE, stored: 2 });
  });

  test("stores a large item without the object of its response", async () => {
    const responseObject = { kind: "ConfigMap", data: { a: "x".repeat(100_000) } };
    const { body } = await post(list([item(1, { responseObject })]));
    expect(body.data).toEqual({ ...NONE, stored: 1, reduced: 1 });
    const [event] = await events();
    expect(event.metadata.response_object.annals_omitted.bytes).toBe(100_036);
  });

  test("takes 1,000 items, none, and a body of 8 MiB that is compressed", async () => {
    expect((await post(list([]))).body.data).toEqual(NONE);
    const many = list(Array.from({ length: 1_000 }, (_, n) => item(n)));
    expect((await post(many)).body.data).toEqual({ ...NONE, stored: 1_000 });
    const padding = Array.from({ length: 400 }, (_, n) =>
      item(n, { verb: "get", requestObject: { a: `${n}`.padEnd(20_000, "0123456789") } }),
    );
    const text = JSON.stringify(list(padding));
    expect(text.length).toBeGreaterThan(7 * 1024 * 1024);
    const bytes = gzipSync(text, { level: 1 });
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const answer = await client.send("POST", PATH, { body: bytes, headers });
    expect(answer.body.data).toEqual({ ...NONE, stored: 400 });
  });

  test("counts in a window of its own", async () => {
    const { headers } = await post(list([]));
    expect(headers["x-ratelimit-limit"]).not.toBe(
      (await client.get("/v1/events")).headers["x-ratelimit-limit"],
    );
  });
});

describe("422", () => {
  test.each([
    ["kind", list([], { kind: "Event" }), "kind"],
    ["version", list([], { apiVersion: "audit.k8s.io/v1beta1" }), "apiVersion"],
    ["list", { kind: "EventList", apiVersion: "audit.k8s.io/v1" }, "items"],
    ["list that is none", list([], { items: {} }), "items"],
    ["1,001 items", list(Array.from({ length: 1_001 }, (_, n) => item(n))), "items"],
  ])("without the %s, or with another", async (_, body, field) => {
    expectRefused(await post(body), "validation_error", { field });
    expect(await events()).toEqual([]);
  });

  test.each(["", "{", '{"kind":"EventList"', "[]", '{"items":[{},{}}'])(
    "for the body %j, which stores nothing",
    async (text) => {
      const headers = { "content-type": "application/json" };
      expectRefused(await client.send("POST", PATH, { body: text, headers }), "validation_error");
      expect(await events()).toEqual([]);
    },
  );

  test("for more than 8 MiB", async () => {
    const text = " ".repeat(8 * 1024 * 1024 + 1);
    const headers = { "content-type": "application/json" };
    expectRefused(await client.send("POST", PATH, { body: text, headers }), "validation_error");
  });

  test("for a Content-Type that is not JSON", async () => {
    const headers = { "content-type": "text/plain" };
    const answer = await client.send("POST", PATH, { body: SAMPLE, headers });
    expectRefused(answer, "validation_error", { field: "Content-Type" });
  });
});
