// Guarantees: every attribute of a record is in its event, once, the same in both encodings. A record without
// the name of an event is rejected, with a reason that has no value of it. What is too large, or cannot be
// stored, never keeps a record with a name out of the log.

import { atOnce } from "@annals/contract";
import {
  InstrumentationScopeSchema,
  LogRecordSchema,
  ResourceSchema,
  type InstrumentationScope,
  type Resource,
} from "@annals/proto/otlp";
import type { JsonValue } from "@annals/event";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { keyValues, type OtlpRecord, otlpRecord } from "../testing/otlp-requests.ts";
import { type MappedEvent, Rejection } from "./item.ts";
import { mapLogRecord, originOf, resourceOf, scopeOf } from "./map-otlp.ts";

const OPTIONS = { maxBytes: 65_536, maxDepth: 32 };
const LARGE = "x".repeat(100_000);

const unaltered = <T>(message: T) => ({ message, isAltered: false, isReduced: false, values: 0 });
const origin = (
  resource?: MessageInitShape<typeof ResourceSchema>,
  scope?: MessageInitShape<typeof InstrumentationScopeSchema>,
) =>
  originOf(
    atOnce(resourceOf(resource && unaltered<Resource>(create(ResourceSchema, resource)), OPTIONS)),
    atOnce(
      scopeOf(
        scope && unaltered<InstrumentationScope>(create(InstrumentationScopeSchema, scope)),
        OPTIONS,
      ),
    ),
  );
const map = (record: OtlpRecord, of = origin()) =>
  atOnce(
    mapLogRecord(
      unaltered(create(LogRecordSchema, record)),
      { length: 1_000_000, origin: of },
      OPTIONS,
    ),
  );

function mapped(record: OtlpRecord, of = origin()) {
  const item = map(record, of);
  return "event" in item ? item : expect.fail(JSON.stringify(item));
}
const eventOf = (record: OtlpRecord, of = origin()): MappedEvent => mapped(record, of).event;
const withAttributes = (attributes: Parameters<typeof keyValues>[0], more: object = {}) =>
  eventOf({ eventName: "a", attributes: keyValues(attributes), ...more });

test("has each member and attribute in its place", () => {
  const record = otlpRecord({
    observedTimeUnixNano: 1n,
    severityNumber: 9,
    severityText: "INFO",
    body: { value: { case: "stringValue", value: "invoice 9 was changed" } },
    traceId: Buffer.from("0af7651916cd43dd8448eb211c80319c", "hex"),
    spanId: Buffer.from("b7ad6b7169203331", "hex"),
    droppedAttributesCount: 2,
    attributes: {
      "annals.target.type": "invoice",
      "client.address": "203.0.113.7",
      "user_agent.original": "curl/8",
      "event.outcome": "failure",
      "log.record.uid": "01KG",
      "event.name": "kept",
      amount: 12.5,
      count: 7n,
      large: 9_007_199_254_740_993n,
      none: null,
      nested: { list: [1n, true, "x"], bytes: Buffer.from([0, 255]) },
      infinite: Infinity,
    },
  });
  const of = origin(
    { attributes: keyValues({ "service.name": "billing", "host.name": "a" }) },
    { name: "app", version: "1.0", attributes: keyValues({ a: 1n }) },
  );
  expect(mapped(record, of)).toEqual({
    event: {
      action: "invoice.update",
      actor: { id: "u_1", type: "user" },
      target: { type: "invoice" },
      context: {
        ip: "203.0.113.7",
        user_agent: "curl/8",
        trace_id: "0af7651916cd43dd8448eb211c80319c",
        span_id: "b7ad6b7169203331",
        resource: { "service.name": "billing", "host.name": "a" },
        scope: { name: "app", version: "1.0", attributes: { a: 1 } },
      },
      metadata: {
        outcome: "failure",
        severity: { number: 9, text: "INFO" },
        body: "invoice 9 was changed",
        attributes: {
          "audit.target.id": "inv_9",
          "log.record.uid": "01KG",
          "event.name": "kept",
          amount: 12.5,
          count: 7,
          large: "9007199254740993",
          none: null,
          nested: { list: [1, true, "x"], bytes: "AP8=" },
          infinite: "Infinity",
        },
        dropped_attributes_count: 2,
        annals_altered: true,
      },
      occurred_at: "2026-01-31T09:30:00.052919Z",
    },
    idempotencyKey: "01KG",
    isReduced: false,
  });
});

describe("action", () => {
  test("is the attribute event.name where there is no event_name", () => {
    expect(withAttributes({ "event.name": "login" }, { eventName: "" })).toMatchObject({
      action: "login",
      metadata: {},
    });
  });

  test.each([
    ["neither", {}],
    ["an empty one", { "event.name": "" }],
    ["a list", { "event.name": ["secret"] }],
  ])("is required: %s", (_, attributes) => {
    const record = {
      attributes: keyValues(attributes),
      body: { value: { case: "stringValue", value: "secret" } },
    };
    expect(() => map(record as OtlpRecord)).toThrow(
      new Rejection(
        "eventName (event_name in protobuf), or the attribute event.name, is required: only records of events are stored",
      ),
    );
  });

  test("that is longer than an action is shortened", () => {
    expect(eventOf({ eventName: "a".repeat(300) }).action).toMatch(/^a{222}…[0-9a-f]{32}$/);
  });
});

describe("actor", () => {
  test.each<[string, Parameters<typeof keyValues>[0], object]>([
    [
      "annals.actor",
      { "annals.actor.id": "1", "annals.actor.type": "bot", "user.id": "2" },
      { id: "1", type: "bot" },
    ],
    ["audit.actor", { "audit.actor.id": "1", "enduser.id": "2" }, { id: "1" }],
    ["user.id", { "user.id": 42n, "enduser.id": "2" }, { id: "42", type: "user" }],
    ["enduser.id", { "enduser.id": "2" }, { id: "2", type: "user" }],
    ["the service", { "user.id": "" }, { id: "billing", type: "service" }],
  ])("is %s", (_, attributes, actor) => {
    const of = origin({ attributes: keyValues({ "service.name": "billing" }) });
    expect(eventOf({ eventName: "a", attributes: keyValues(attributes) }, of).actor).toEqual(actor);
  });

  test("is absent if nothing names it", () => {
    expect(withAttributes({ "user.id": ["1"] })).toMatchObject({
      actor: {},
      metadata: { attributes: { "user.id": ["1"] } },
    });
  });

  test("that is too long is shortened there, and whole in the attributes", () => {
    const id = "u".repeat(300);
    expect(withAttributes({ "user.id": id })).toMatchObject({
      actor: { id: expect.stringMatching(/^u{222}…/) },
      metadata: { attributes: { "user.id": id } },
    });
  });
});

test("an outcome of its own stays an attribute", () => {
  const attributes = { "event.outcome": "denied", "audit.outcome": "success" };
  expect(withAttributes(attributes).metadata).toEqual({
    outcome: "success",
    attributes: { "event.outcome": "denied" },
  });
});

test("the time is that of the record, else when it was observed, else none", () => {
  const at = (timeUnixNano: bigint, observedTimeUnixNano: bigint) =>
    eventOf({ eventName: "a", timeUnixNano, observedTimeUnixNano }).occurred_at;
  expect(at(1_999n, 9_000n)).toBe("1970-01-01T00:00:00.000001Z");
  expect(at(0n, 9_000n)).toBe("1970-01-01T00:00:00.000009Z");
  expect(at(0n, 0n)).toBeUndefined();
  expect(() => at(2n ** 64n - 1n, 0n)).toThrow(Rejection);
});

test("ids of traces that are not valid are absent", () => {
  for (const traceId of [Buffer.alloc(16), Buffer.from([1]), Buffer.alloc(17, 1)])
    expect(eventOf({ eventName: "a", traceId, spanId: Buffer.alloc(8) }).context).toEqual({});
});

test("U+0000 becomes U+FFFD, and the event says so", () => {
  expect(eventOf({ eventName: "a\0" })).toMatchObject({
    action: "a\ufffd",
    metadata: { annals_altered: true },
  });
});

test("a key is that of log.record.uid, else of audit.record.id, and never too long", () => {
  const keyOf = (attributes: Parameters<typeof keyValues>[0]) =>
    mapped({ eventName: "a", attributes: keyValues(attributes) }).idempotencyKey;
  expect(keyOf({ "audit.record.id": "2", "log.record.uid": "1" })).toBe("1");
  expect(keyOf({ "audit.record.id": 2n })).toBe("2");
  expect(keyOf({})).toBeUndefined();
  expect(keyOf({ "log.record.uid": "1".repeat(300) })).toHaveLength(255);
});

describe("what is too large", () => {
  const omitted = { annals_omitted: { bytes: 100_002, sha256: expect.any(String) } };

  test("is left out: the body, then the largest attributes", () => {
    const body = { value: { case: "stringValue" as const, value: LARGE } };
    const attributes = keyValues({ a: "small", b: LARGE });
    const { event, isReduced } = mapped({ eventName: "a", body, attributes });
    expect(isReduced).toBe(true);
    expect(event.metadata).toEqual({ body: omitted, attributes: { a: "small", b: omitted } });
  });

  test("of many small attributes, all are left out", () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`a${n}`, n]));
    const { event } = mapped({ eventName: "a", attributes: keyValues(many) });
    expect(event.metadata).toEqual({
      attributes: { annals_omitted: { bytes: expect.any(Number), sha256: expect.any(String) } },
    });
  });

  test("of a resource is left out of each event, and its service stays the actor", () => {
    const attributes = keyValues({ "service.name": "billing", "process.command_args": LARGE });
    const { event, isReduced } = mapped({ eventName: "a" }, origin({ attributes }));
    expect(isReduced).toBe(true);
    expect(event).toMatchObject({
      actor: { id: "billing" },
      context: { resource: { "service.name": "billing", "process.command_args": omitted } },
    });
  });
});

describe("one part that is wrong never costs the record", () => {
  const nested = (levels: number): unknown => (levels === 0 ? "x" : [nested(levels - 1)]);

  test("an attribute that is there twice has all its values, and the event says so", () => {
    const attributes = [
      ...keyValues({ "user.role": "admin", a: { b: "1" }, "user.id": "u_1" }),
      ...keyValues({ "user.role": "owner", "user.id": "u_2" }),
      ...keyValues({ "user.role": "admin" }),
    ];
    expect(eventOf({ eventName: "a", attributes })).toMatchObject({
      // The first is what the program itself has set; all of them stay.
      actor: { id: "u_1", type: "user" },
      metadata: {
        attributes: { "user.role": ["admin", "owner", "admin"], "user.id": ["u_1", "u_2"] },
        annals_altered: true,
      },
    });
    expect(eventOf({ eventName: "a", attributes: keyValues({ a: ["1", "2"] }) })).toMatchObject({
      metadata: { attributes: { a: ["1", "2"] } },
    });
  });

  test("so has the name of the event, and the key of a retry", () => {
    const attributes = keyValues({ "event.name": "login", "log.record.uid": "1" });
    const one = mapped({ attributes: [...attributes, ...attributes] });
    expect(one.event.action).toBe("login");
    expect(one.idempotencyKey).toBe("1");
  });

  test("a list of lists is still as deep as an event may be", () => {
    const deep = keyValues({ a: nested(27) as never });
    const { event, isReduced } = mapped({ eventName: "a", attributes: [...deep, ...deep] });
    expect(isReduced).toBe(true);
    const [first] = (event.metadata as { attributes: { a: JsonValue[] } }).attributes.a;
    expect(JSON.stringify(first)).toContain("annals_omitted");
  });

  test("of a value that nests too deep, what is too deep is left out", () => {
    const deep = keyValues({ a: nested(27) as never });
    expect(mapped({ eventName: "a", attributes: deep }).isReduced).toBe(false);
    const deeper = keyValues({ a: nested(28) as never, b: "kept" });
    const { event, isReduced } = mapped({ eventName: "a", attributes: deeper });
    expect(isReduced).toBe(true);
    const sha256 = createHash("sha256").update('["x"]').digest("hex");
    expect(JSON.stringify(event.metadata)).toContain(
      `[{"annals_omitted":{"bytes":5,"sha256":"${sha256}"}}]`,
    );
    expect(event.metadata).toMatchObject({ attributes: { b: "kept" } });
  });
});
