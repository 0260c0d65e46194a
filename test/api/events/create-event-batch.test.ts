// POST /v1/events/batch stores 1 to 1,000 events with consecutive sequence numbers, all of them or
// none, and an error names the event at fault by its index (interface 6).

import { HttpClient, newAccount, type TestAccount } from "@annals/testing";
import { beforeEach, describe, expect, inject, test } from "vitest";

const { baseUrl, databaseUrl } = inject("stack");
const MIB = 1024 * 1024;
let account: TestAccount;
let client: HttpClient;

beforeEach(async () => {
  account = await newAccount(databaseUrl);
  client = new HttpClient(baseUrl, account.key);
});

interface Event {
  readonly id: string;
  readonly sequence_number: number;
  readonly hash: string;
  readonly previous_hash: string;
}

const post = (events: unknown, more = {}) => client.post("/v1/events/batch", { events, ...more });
const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ action: `a.${n}` }));

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { n: nested(levels - 1) };
}

describe("201", () => {
  test("returns the events in the order of the request, numbered and linked without a gap", async () => {
    const before = (await client.post("/v1/events", { action: "before" })).body.data;
    const { status, body } = await post(numbered(10));
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(["data"]);
    expect(body.data).toMatchObject(numbered(10));
    let previous: Event = before;
    for (const event of body.data as Event[]) {
      expect(event.sequence_number).toBe(previous.sequence_number + 1);
      expect(event.previous_hash).toBe(previous.hash);
      previous = event;
    }
    expect(new Set(body.data.map(({ id }: Event) => id)).size).toBe(10);
  });

  test("type stands for action, both may be given when they are equal", async () => {
    const { status, body } = await post([
      { type: "a" },
      { action: "b", type: "b" },
      { action: "c" },
    ]);
    expect(status).toBe(201);
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual(["a", "b", "c"]);
    for (const event of body.data) expect(event).not.toHaveProperty("type");
  });

  test("has consecutive numbers however many batches come at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(numbered(25))));
    const firsts = answers.map(({ body }) => {
      const numbers = (body.data as Event[]).map((event) => event.sequence_number);
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
      return numbers[0] ?? 0;
    });
    expect(firsts.toSorted((a, b) => a - b)).toEqual(firsts.map((_, index) => 1 + index * 25));
  });

  test("1,000 events", async () => {
    const { status, body } = await post(numbered(1_000));
    expect(status).toBe(201);
    expect(body.data).toHaveLength(1_000);
    expect(body.data.at(-1).sequence_number).toBe(1_000);
  });

  test("a body of exactly 4 MiB, and its replay", async () => {
    const events = Array.from({ length: 64 }, () => ({
      action: "a",
      metadata: { m: "x".repeat(65_000) },
    }));
    const body = JSON.stringify({ events }).padEnd(4 * MIB);
    const headers = { "idempotency-key": "large" };
    const first = await client.post("/v1/events/batch", body, { headers });
    expect(first.status).toBe(201);
    const again = await client.post("/v1/events/batch", body, { headers });
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect(again.text).toBe(first.text);
  });

  test("each event may nest 32 levels", async () => {
    const { status, body } = await post([{ action: "a", metadata: nested(31) }]);
    expect(status).toBe(201);
    expect(body.data[0].metadata).toEqual(nested(31));
  });

  test("events without a time have the time of receipt, the same for all; others keep theirs", async () => {
    const { body } = await post([
      { action: "a" },
      { action: "b" },
      { action: "c", occurred_at: "2020-01-01T00:00:00+01:00" },
    ]);
    const [first, second, third] = body.data;
    expect(first.occurred_at).toBe(first.received_at);
    expect(second).toMatchObject({
      occurred_at: first.occurred_at,
      received_at: first.received_at,
    });
    expect(third.occurred_at).toBe("2019-12-31T23:00:00.000000Z");
  });

  test("counts once against the rate limit", async () => {
    const first = await post(numbered(100));
    const second = await post(numbered(100));
    const remaining = Number(first.headers["x-ratelimit-remaining"]);
    expect(Number(second.headers["x-ratelimit-remaining"])).toBe(remaining - 1);
  });
});

describe("422", () => {
  const good = { action: "a" };

  test.each<[field: string, events: unknown]>([
    ["events", undefined],
    ["events", []],
    ["events", {}],
    ["events", "a"],
    ["events", null],
    ["events[0]", [1]],
    ["events[1]", [good, null]],
    ["events[2].action", [good, good, {}]],
    ["events[0].action", [{ action: "" }]],
    ["events[0].action", [{ action: "x".repeat(256) }]],
    ["events[1].type", [good, { type: "x".repeat(256) }]],
    ["events[1].type", [good, { type: 1 }]],
    ["events[1].type", [good, { type: "Annals.key.created" }]],
    ["events[1].action", [good, { action: "annals.key.created" }]],
    ["events[1].type", [good, { action: "a", type: "b" }]],
    ["events[3].actor.id", [good, good, good, { action: "a", actor: { id: 1 } }]],
    ["events[1].actor.name", [good, { action: "a", actor: { name: "x" } }]],
    ["events[1].target.name", [good, { action: "a", target: { name: "x" } }]],
    ["events[1].diff.x", [good, { action: "a", diff: { x: {} } }]],
    ["events[1].unknown", [good, { action: "a", unknown: 1 }]],
    ["events[1].context", [good, { action: "a", context: 1 }]],
    ["events[1].occurred_at", [good, { action: "a", occurred_at: "2026-02-30T00:00:00Z" }]],
    ["events[1]", [good, { action: "a", metadata: { m: "x".repeat(65_536) } }]],
    ["events[1].metadata.a", [good, '{"action":"a","metadata":{"a":1e400}}']],
    ["events[1].metadata.a", [good, '{"action":"a","metadata":{"a":1,"a":1}}']],
  ])("%s, and nothing is stored", async (field, events) => {
    const raw = Array.isArray(events)
      ? `{"events":[${events.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join()}]}`
      : { events };
    const { status, body } = await client.post("/v1/events/batch", raw);
    expect(status).toBe(422);
    expect(body.error.type).toBe("validation_error");
    expect(body.error.details[0].field).toBe(field);
    expect(body.error.message).toContain(field);
    expect((await client.get("/v1/events")).body.data).toEqual([]);
  });

  test("1,001 events", async () => {
    const { status, body } = await post(numbered(1_001));
    expect(status).toBe(422);
    expect(body.error.message).toBe("events: must have at most 1000 items");
  });

  test("a byte more than 4 MiB", async () => {
    const { status, body } = await client.post(
      "/v1/events/batch",
      '{"events":[{"action":"a"}]}'.padEnd(4 * MIB + 1),
    );
    expect(status).toBe(422);
    expect(body.error.message).toContain("too large");
  });

  test("an event of 33 levels", async () => {
    const { status, body } = await post([good, { action: "a", metadata: nested(32) }]);
    expect(status).toBe(422);
    expect(body.error.details[0].field).toBe(`events[1].metadata${".n".repeat(31)}`);
  });

  test("a member beside events", async () => {
    const { status, body } = await post([good], { dry_run: true });
    expect(status).toBe(422);
    expect(body.error.details[0].field).toBe("dry_run");
  });

  test("an array without the object around it", async () => {
    const { status, body } = await client.post("/v1/events/batch", [good]);
    expect(status).toBe(422);
    expect(body.error.details[0].field).toBe("body");
  });
});
