// Guarantees: the same request has the same events in protobuf and in JSON, whether a message is read at once
// or in parts. An attribute or a body that cannot be read costs only itself, as does a record, and what
// cannot be cut into records is refused whole. No bytes make it throw anything else, nor take memory out of
// proportion. What each encoding refuses is in read-otlp-faults.test.ts, the work that is done in
// read-otlp-work.test.ts.

import { atOnce } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import { JsonFault } from "@annals/event";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { OtlpEncoding } from "./otlp-encoding.ts";
import { OTLP_JSON } from "./otlp-json.ts";
import { OTLP_PROTOBUF } from "./otlp-protobuf.ts";
import { LIMITS } from "../limits.ts";
import {
  inJson,
  inProtobuf,
  keyValues,
  otlpRecord,
  otlpRequest,
  type OtlpRecord,
  type OtlpRequest,
} from "../testing/otlp-requests.ts";
import { readOtlp } from "./read-otlp.ts";

const ENCODINGS = { protobuf: OTLP_PROTOBUF, json: OTLP_JSON };

const read = (bytes: Buffer, encoding: OtlpEncoding) =>
  atOnce(readOtlp(bytes, encoding, LIMITS)).items.map((item) =>
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
  );
  expect(stored).toBeGreaterThan(0);
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

  test("of a record of more attributes than any event, those beyond the first 1,000 are left out", () => {
    const attributes = Array.from({ length: 100_000 }, (_, n) => ({
      key: `a${n % 1_000}`,
      value: {},
    }));
    const large = written(otlpRequest({ eventName: "a", attributes }, otlpRecord()));
    const before = process.memoryUsage().heapUsed;
    const omitted = /"annals_omitted":\{"attributes":99000,"bytes":\d+,"sha256":"[0-9a-f]{64}"\}/;
    expect(read(large, encoding)).toMatchObject([
      { events: expect.stringMatching(omitted), isReduced: true },
      { events: expect.stringContaining("invoice.update"), isReduced: false },
    ]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  });

  test("1,000 attributes are stored, and of one more its size and hash", () => {
    const many = (count: number) => {
      const names = Array.from({ length: count }, (_, n) => [`a${n}`, n % 2 === 0] as const);
      return written(
        otlpRequest({ eventName: "a", attributes: keyValues(Object.fromEntries(names)) }),
      );
    };
    expect(read(many(1_000), encoding)).toMatchObject([
      { events: expect.stringMatching(/^(?!.*annals_omitted).*"a999":false/), isReduced: false },
    ]);
    expect(read(many(1_001), encoding)).toMatchObject([
      { events: expect.stringMatching(/^(?!.*"a1000").*"attributes":1,/), isReduced: true },
    ]);
  });

  test("a message is read in parts as it is at once", () => {
    // Beyond the size that is read at once, and not beyond that of an event.
    const long = "x".repeat(20_000);
    fc.assert(
      fc.property(anyRecord, (record) => {
        const large = {
          ...record,
          attributes: [...(record.attributes ?? []), ...keyValues({ text: long })],
        };
        const [small] = read(written(otlpRequest(record)), encoding);
        const [parts] = read(written(otlpRequest(large as OtlpRecord)), encoding);
        if (!("events" in small!) || !("events" in parts!)) {
          expect(parts).toEqual(small);
          return;
        }
        const [one, other] = [small, parts].map(({ events }) => {
          const [event] = JSON.parse(events) as { metadata: { attributes?: { text?: string } } }[];
          const { text: _, ...attributes } = event?.metadata.attributes ?? {};
          return { ...event, metadata: { ...event?.metadata, attributes } };
        });
        expect(other).toEqual(one);
      }),
    );
  });

  test("what nests too deep to be read is left out, and not the record", () => {
    let body: object = { value: { case: "stringValue", value: "x" } };
    for (let n = 0; n < 200; n += 1)
      body = { value: { case: "arrayValue", value: { values: [body] } } };
    const deep = [{ key: "a", value: body as never }, ...keyValues({ b: "kept" })];
    const record = { eventName: "a", body: body as never, attributes: deep };
    expect(read(written(otlpRequest(record)), encoding)).toMatchObject([
      {
        events: expect.stringMatching(
          /"a":\{"annals_omitted":\{"bytes":\d+,"sha256":"\w{64}"\}\},"b":"kept"\},"body":\{"annals_omitted"/,
        ),
        isReduced: true,
      },
    ]);
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
    );
  });

  test("nor do any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expectRead(Buffer.from(bytes), encoding);
      }),
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
