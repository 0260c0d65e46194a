// POST /v1/events stores one event exactly as it was sent, or refuses it and names the member at
// fault: nothing is dropped, made up or altered (interface 6).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";

const stack = inject("stack");
const { client } = await newClient(stack);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const KIB = 1024;

const post = (body: unknown) => client.post("/v1/events", body);

/** An event whose canonical form is of exactly `bytes` bytes: the action and five objects. */
function eventOf(bytes: number) {
  const empty = 'a{}{}{}{}{"m":""}'.length;
  return { action: "a", metadata: { m: "x".repeat(bytes - empty) } };
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { n: nested(levels - 1) };
}

describe("201", () => {
  test("returns the event whole, in the members of section 6 of the interface", async () => {
    const event = {
      action: "invoice.update",
      actor: { id: "u_1", type: "user", meta: { name: "Ada" } },
      target: { type: "invoice", id: "in_9", meta: { total: 12.5 } },
      context: { ip: "203.0.113.9" },
      diff: { before: { total: 10 }, after: { total: 12.5 } },
      metadata: { tags: ["a", null, true] },
      occurred_at: "2026-01-31T09:30:00.123456Z",
    };
    const { status, headers, body } = await post(event);
    expect(status).toBe(201);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["idempotent-replayed"]).toBeUndefined();
    expect(Object.keys(body)).toEqual(["data"]);
    expect(Object.keys(body.data)).toEqual([
      "id",
      "sequence_number",
      "action",
      "actor",
      "target",
      "context",
      "diff",
      "metadata",
      "hash",
      "previous_hash",
      "occurred_at",
      "received_at",
      "created_at",
    ]);
    expect(body.data).toMatchObject(event);
    expect(body.data.id).toMatch(/^evt_[0-9a-z]+$/);
    expect(body.data.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test("numbers events from 1 and links each to the one before", async () => {
    const own = (await newClient(stack)).client;
    let previousHash = "0".repeat(64);
    for (let sequence = 1; sequence <= 5; sequence += 1) {
      const { body } = await own.post("/v1/events", { action: "a" });
      expect(body.data).toMatchObject({ sequence_number: sequence, previous_hash: previousHash });
      previousHash = body.data.hash;
    }
  });

  test("absent parts come back as {}, absent members of parts are not made up", async () => {
    const { body } = await post({
      action: "a",
      actor: {},
      target: { id: "t" },
      diff: { after: {} },
    });
    expect(body.data).toMatchObject({ actor: {}, context: {}, metadata: {} });
    expect(body.data.target).toEqual({ id: "t" });
    expect(body.data.diff).toEqual({ after: {} });
  });

  test("free-form parts take any members", async () => {
    const free = { id: 1, type: [], unknown: null, "": "", "a b": { before: 1 }, __proto__: null };
    const event = {
      action: "a",
      actor: { meta: free },
      target: { meta: free },
      context: free,
      diff: { before: free, after: free },
      metadata: free,
    };
    const { status, body } = await post(event);
    expect(status).toBe(201);
    expect(body.data).toMatchObject(event);
  });

  test.each([
    // libs/contract/src/timestamps.test.ts has every form.
    ["2026-01-31T09:30Z", "2026-01-31T09:30:00.000000Z"],
    ["2026-01-31T00:30:00.123456999+05:45", "2026-01-30T18:45:00.123456Z"],
  ])("occurred_at %s is %s", async (given, returned) => {
    const { status, body } = await post({ action: "a", occurred_at: given });
    expect(status).toBe(201);
    expect(body.data.occurred_at).toBe(returned);
  });

  test("three times: received, then created; occurred_at is by default the time of receipt", async () => {
    const before = new Date().toISOString();
    const { body } = await post({ action: "a" });
    const { occurred_at: occurred, received_at: received, created_at: created } = body.data;
    for (const time of [occurred, received, created]) expect(time).toMatch(TIME);
    expect(occurred).toBe(received);
    expect(received >= before.slice(0, -1)).toBe(true);
    expect(created >= received).toBe(true);
    expect(created <= new Date(Date.now() + 1).toISOString()).toBe(true);
  });

  test.each([
    ["action", { action: "é".repeat(255) }],
    ["action beyond the basic plane", { action: "😀".repeat(255) }],
    ["actor.id", { action: "a", actor: { id: "x".repeat(255) } }],
    ["actor.type", { action: "a", actor: { type: "x".repeat(255) } }],
    ["target.id", { action: "a", target: { id: "x".repeat(255) } }],
    ["target.type", { action: "a", target: { type: "x".repeat(255) } }],
  ])("%s of 255 characters", async (_, event) => {
    const { status, body } = await post(event);
    expect(status).toBe(201);
    expect(body.data).toMatchObject(event);
  });

  test("an event of exactly 64 KiB in canonical form", async () => {
    const { status, body } = await post(eventOf(64 * KIB));
    expect(status).toBe(201);
    expect(body.data.metadata.m).toHaveLength(64 * KIB - 17);
  });

  test("an event of 64 KiB of the smallest values", async () => {
    const list = Array.from({ length: 32_700 }, () => 1);
    const { status, body } = await post({ action: "a", metadata: { list } });
    expect(status).toBe(201);
    expect(body.data.metadata.list).toHaveLength(32_700);
  });

  test("32 levels", async () => {
    // The event is the first.
    const { status, body } = await post({ action: "a", metadata: nested(31) });
    expect(status).toBe(201);
    expect(body.data.metadata).toEqual(nested(31));
  });
});

describe("422", () => {
  const TOO_LONG = "x".repeat(256);

  test.each<[field: string, event: unknown]>([
    ["action", {}],
    ["action", { action: "" }],
    ["action", { action: 1 }],
    ["action", { action: null }],
    ["action", { action: TOO_LONG }],
    ["action", { action: `${"😀".repeat(255)}x` }],
    // The service's own, in whatever form.
    ["action", { action: "annals.key.created" }],
    ["action", { action: "Annals.X" }],
    ["action", { action: "\u200bａnnals.x" }],
    ["type", { action: "a", type: "a" }],
    ["id", { action: "a", id: "evt_1" }],
    ["hash", { action: "a", hash: "0".repeat(64) }],
    ["received_at", { action: "a", received_at: "2026-01-31T09:30:00Z" }],
    ['["odd name"]', { action: "a", "odd name": 1 }],
    ["actor.name", { action: "a", actor: { name: "Ada" } }],
    ["actor.id", { action: "a", actor: { id: 7 } }],
    ["actor.id", { action: "a", actor: { id: null } }],
    ["actor.id", { action: "a", actor: { id: TOO_LONG } }],
    ["actor.type", { action: "a", actor: { type: TOO_LONG } }],
    ["actor.type", { action: "a", actor: { type: "" } }],
    ["actor.meta", { action: "a", actor: { meta: "text" } }],
    ["actor.meta", { action: "a", actor: { meta: [] } }],
    ["actor", { action: "a", actor: "u_1" }],
    ["actor", { action: "a", actor: null }],
    ["target.name", { action: "a", target: { name: "x" } }],
    ["target.id", { action: "a", target: { id: TOO_LONG } }],
    ["target.type", { action: "a", target: { type: TOO_LONG } }],
    ["target", { action: "a", target: [] }],
    ["diff.during", { action: "a", diff: { during: {} } }],
    ["diff.before", { action: "a", diff: { before: 1 } }],
    ["diff.after", { action: "a", diff: { after: null } }],
    ["context", { action: "a", context: [] }],
    ["metadata", { action: "a", metadata: null }],
    ["body", []],
    ["body", "[1]"],
    ["body", "null"],
    ["body", '"text"'],
  ])("%s: %j", async (field, event) => {
    const { status, body } = await post(event);
    expect(status).toBe(422);
    expect(body.error.type).toBe("validation_error");
    expect(body.error.details[0].field).toBe(field);
    expect(body.error.message).toContain(field);
  });

  test("a member named __proto__ where members are fixed", async () => {
    for (const [text, field] of [
      ['{"action":"a","__proto__":{"type":"a"}}', "__proto__"],
      ['{"action":"a","actor":{"__proto__":{"id":"a"}}}', "actor.__proto__"],
      ['{"action":"a","actor":{"constructor":1}}', "actor.constructor"],
      ['{"__proto__":{"action":"a"}}', "action"],
    ] as const) {
      const { status, body } = await post(text);
      expect(status).toBe(422);
      expect(body.error.details[0].field).toBe(field);
    }
  });

  test.each(["", "yesterday", "2026-01-31", "2026-02-30T00:00:00Z"])(
    "occurred_at %j",
    async (time) => {
      const { status, body } = await post({ action: "a", occurred_at: time });
      expect(status).toBe(422);
      expect(body.error.details[0].field).toBe("occurred_at");
    },
  );

  test("an event of a byte more than 64 KiB in canonical form", async () => {
    const { status, body } = await post(eventOf(64 * KIB + 1));
    expect(status).toBe(422);
    expect(body.error.message).toContain("65537 bytes in canonical form; at most 65536");
  });

  test("33 levels", async () => {
    const { status, body } = await post({ action: "a", metadata: nested(32) });
    expect(status).toBe(422);
    expect(body.error.details[0].field).toBe(`metadata${".n".repeat(31)}`);
    expect(body.error.message).toContain("more than 32 deep");
  });

  test("stores nothing of what it refuses", async () => {
    const own = (await newClient(stack)).client;
    expect((await own.post("/v1/events", { action: "a", actor: { name: "x" } })).status).toBe(422);
    expect((await own.get("/v1/events")).body.data).toEqual([]);
  });
});
