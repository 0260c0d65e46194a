// Guarantees: the same request has the same events in protobuf and in JSON. A record that cannot be read
// costs only itself, and what cannot be cut into records is refused whole. No bytes make it throw anything
// else, nor take memory or time out of proportion.

import { atOnce } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import { JsonFault } from "@annals/event";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { OtlpEncoding } from "../../intake/otlp-encoding.ts";
import { OTLP_JSON } from "../../intake/otlp-json.ts";
import { OTLP_PROTOBUF } from "../../intake/otlp-protobuf.ts";
import { LIMITS } from "../../limits.ts";
import {
  inJson,
  inProtobuf,
  keyValues,
  otlpRecord,
  otlpRequest,
  type OtlpRequest,
} from "../../testing/otlp-requests.ts";
import { readOtlp } from "./read-otlp.ts";

const ENCODINGS = { protobuf: OTLP_PROTOBUF, json: OTLP_JSON };
const limits = { ...LIMITS, batchBodyMaxValues: 1 };

const read = (bytes: Buffer, encoding: OtlpEncoding) =>
  atOnce(readOtlp(bytes, encoding, limits)).map((item) =>
    "events" in item
      ? { ...item, events: Buffer.from(item.events.bytes).toString(), requestSha256: "" }
      : item,
  );
const inBoth = (request: OtlpRequest) => ({
  protobuf: read(inProtobuf(request), OTLP_PROTOBUF),
  json: read(inJson(request), OTLP_JSON),
});

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("\0", "__proto__", "1022", "", "user.id", "annals.x"),
);
const { any } = fc.letrec<{ any: never }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.boolean(),
    fc.double(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constant(null),
    fc.uint8Array({ maxLength: 20 }),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(text, tie("any"), { maxKeys: 3 }),
  ) as fc.Arbitrary<never>,
}));
const nanos = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const anyRecord = fc
  .record(
    {
      timeUnixNano: nanos,
      observedTimeUnixNano: nanos,
      severityNumber: fc.integer({ min: 0, max: 24 }),
      severityText: text,
      eventName: text,
      traceId: fc.uint8Array({ maxLength: 17 }),
      spanId: fc.uint8Array({ minLength: 8, maxLength: 8 }),
      droppedAttributesCount: fc.nat(),
      attributes: fc.dictionary(text, any, { maxKeys: 4 }),
    },
    { requiredKeys: [] },
  )
  .map(otlpRecord);

test("the same request has the same events in protobuf and in JSON", () => {
  let stored = 0;
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 4 }), (records) => {
      const { json, protobuf } = inBoth(otlpRequest(...records));
      expect(json).toEqual(protobuf);
      expect(json).toHaveLength(records.length);
      stored += json.filter((item) => "events" in item).length;
    }),
    { numRuns: 300 },
  );
  expect(stored).toBeGreaterThan(100);
});

describe.each(Object.entries(ENCODINGS))("%s", (name, encoding) => {
  const written = name === "json" ? inJson : inProtobuf;

  test("an empty request has no records", () => {
    expect(read(written({}), encoding)).toEqual([]);
    expect(read(written({ resourceLogs: [{}, { scopeLogs: [{}] }] }), encoding)).toEqual([]);
  });

  test("records of several resources and scopes keep theirs, in their order", () => {
    const scopeLogs = [
      { scope: { name: "s" }, logRecords: [otlpRecord()] },
      { logRecords: [{}, otlpRecord()] },
    ];
    const resource = { attributes: keyValues({ "service.name": "b" }) };
    const items = read(
      written({ resourceLogs: [{ scopeLogs }, { resource, scopeLogs }] }),
      encoding,
    );
    expect(items.map((item) => ("events" in item ? item.events : "rejected"))).toMatchObject([
      expect.stringMatching(/"context":\{"scope":\{"name":"s"\}\}/),
      "rejected",
      expect.not.stringContaining('"scope"'),
      expect.stringMatching(/"resource":\{"service.name":"b"\},"scope"/),
      "rejected",
      expect.stringMatching(/"resource":\{"service.name":"b"\}\}/),
    ]);
  });

  test("1,000 records are read, and no more", () => {
    const many = (count: number) =>
      written(otlpRequest(...Array.from({ length: count }, () => otlpRecord())));
    expect(read(many(1_000), encoding)).toHaveLength(1_000);
    expect(() => read(many(1_001), encoding)).toThrow(/at most 1000|more than 1000/);
    const lists = Array.from({ length: 1_001 }, () => ({ scopeLogs: [{}] }));
    expect(() => read(written({ resourceLogs: lists }), encoding)).toThrow(/at most 1000/);
    const spread = Array.from({ length: 2 }, () =>
      otlpRequest(...Array.from({ length: 501 }, () => ({}))),
    );
    const resourceLogs = spread.flatMap((one) => one.resourceLogs ?? []);
    expect(() => read(written({ resourceLogs }), encoding)).toThrow(/more than 1000 log records/);
  });

  test("a record of more fields than any event costs only itself, and little", () => {
    const attributes = Array.from({ length: 100_000 }, () => ({ key: "", value: {} }));
    const large = written(otlpRequest({ eventName: "a", attributes }, otlpRecord()));
    const before = process.memoryUsage().heapUsed;
    expect(read(large, encoding)).toMatchObject([{ rejected: expect.any(String) }, {}]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  });

  test("whatever is cut off or changed is refused, or costs single records", () => {
    const body = written(otlpRequest(otlpRecord(), otlpRecord({ attributes: { a: { b: [1n] } } })));
    const change = fc.record({
      at: fc.nat(body.length - 1),
      byte: fc.nat(255),
      end: fc.option(fc.nat(body.length)),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        let bytes = Buffer.from(body);
        for (const { at, byte, end } of changes) {
          bytes[at] = byte;
          bytes = bytes.subarray(0, end ?? undefined);
        }
        expectRead(bytes, encoding);
      }),
      { numRuns: 2_000 },
    );
  });

  test("nor do any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expectRead(Buffer.from(bytes), encoding);
      }),
      { numRuns: 2_000 },
    );
  });
});

function expectRead(bytes: Buffer, encoding: OtlpEncoding): void {
  try {
    read(bytes, encoding);
  } catch (error) {
    if (error instanceof JsonFault) return;
    expect(error).toBeInstanceOf(AnnalsError);
    expect(error).toHaveProperty("kind", "invalid");
  }
}

describe("in protobuf", () => {
  const body = inProtobuf(otlpRequest(otlpRecord()));
  const reasonOf = (bytes: Buffer) => read(bytes, OTLP_PROTOBUF)[0];

  test("a text that is not UTF-8 is stored with U+FFFD, and says so", () => {
    const at = body.indexOf("u_1");
    const changed = Buffer.from(body);
    changed[at] = 0xff;
    expect(reasonOf(changed)).toMatchObject({
      events: expect.stringMatching(/"id":"\ufffd_1".*"annals_altered":true/),
    });
  });

  test("a field of another wire type costs its record", () => {
    // severity_number as bytes.
    const record = Buffer.from([0x12, 0x01, 0x61]);
    const scope = Buffer.concat([Buffer.from([0x12, record.length]), record]);
    const resource = Buffer.concat([Buffer.from([0x12, scope.length]), scope]);
    const bytes = Buffer.concat([Buffer.from([0x0a, resource.length]), resource]);
    expect(reasonOf(bytes)).toEqual({ rejected: "must be a LogRecord of OTLP in protobuf" });
  });

  test("unknown fields are ignored", () => {
    const unknown = Buffer.from([0xf8, 0x07, 0x01]);
    expect(reasonOf(Buffer.concat([unknown, body]))).toHaveProperty("events");
  });

  test("a resource in two pieces is one", () => {
    const two = { resourceLogs: [{ resource: { attributes: keyValues({ b: "2" }) } }] };
    const inner = (request: OtlpRequest) => {
      const bytes = inProtobuf(request);
      return bytes.subarray(bytes[1] !== undefined && bytes[1] >= 0x80 ? 3 : 2);
    };
    const both = Buffer.concat([inner(two), inner(otlpRequest(otlpRecord()))]);
    const length = Buffer.from([(both.length & 0x7f) | 0x80, both.length >> 7]);
    expect(reasonOf(Buffer.concat([Buffer.from([0x0a]), length, both]))).toMatchObject({
      events: expect.stringContaining('"resource":{"b":"2","service.name":"billing"}'),
    });
  });

  test("8 MiB of empty messages take little time", () => {
    const bytes = Buffer.alloc(8 * 1024 * 1024);
    for (let at = 0; at < bytes.length; at += 2) bytes[at] = 0x0a;
    expect(() => read(bytes, OTLP_PROTOBUF)).toThrow(/at most 1000/);
  });
});

describe("in JSON", () => {
  const reasonOf = (record: string) =>
    read(
      Buffer.from(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[${record}]}]}]}`),
      OTLP_JSON,
    )[0];

  test("integers are numbers or texts, however long, and unknown members are ignored", () => {
    const numbers =
      '"timeUnixNano": 1769851800052919123, "severityNumber": "9", "x": {"y": [1e999]}';
    expect(reasonOf(`{"eventName": "a", ${numbers}}`)).toMatchObject({
      events: expect.stringMatching(/^(?!.*altered).*"occurred_at":"2026-01-31T09:30:00.052919Z"/),
    });
    const value = '{"key": "n", "value": {"intValue": -9223372036854775808, "x": 1}}';
    expect(reasonOf(`{"eventName": "a", "attributes": [${value}]}`)).toMatchObject({
      events: expect.stringContaining('"n":"-9223372036854775808"'),
    });
  });

  test.each([
    ["a member twice", '{"eventName": "a", "eventName": "b"}'],
    [
      "a member twice, deeper",
      '{"eventName": "a", "body": {"stringValue": "", "stringValue": "b"}}',
    ],
    ["no object", '"secret"'],
    ["another type", '{"eventName": 7}'],
    ["two values of one", '{"eventName": "a", "body": {"stringValue": "", "intValue": 1}}'],
    [
      "an integer beyond 64 bits",
      '{"eventName": "a", "body": {"intValue": "18446744073709551616"}}',
    ],
    ["octets that are not base64", '{"eventName": "a", "body": {"bytesValue": "secret!"}}'],
    ["no JSON", '{"eventName": secret}'],
  ])("rejects %s", (_, record) => {
    const item = reasonOf(record);
    expect(item).toHaveProperty("rejected");
    expect(JSON.stringify(item)).not.toContain("secret");
  });

  test.each(["", "7", "[]", '{"resourceLogs": {}}', '{"resourceLogs": [7]}', "{} {}"])(
    "refuses %j",
    (body) => {
      expect(() => read(Buffer.from(body), OTLP_JSON)).toThrow(JsonFault);
    },
  );

  test("null is absent", () => {
    expect(read(Buffer.from('{"resourceLogs": null}'), OTLP_JSON)).toEqual([]);
  });
});
