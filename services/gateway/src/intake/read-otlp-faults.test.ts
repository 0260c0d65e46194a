// Guarantees: what is wrong with one part of a request of OTLP costs that part alone, and a reason names the
// field without a value of it. What is ignored is named, so that nothing is dropped in silence.

import { atOnce } from "@annals/contract";
import { JsonFault } from "@annals/event";
import { describe, expect, test } from "vitest";
import type { OtlpEncoding } from "./otlp-encoding.ts";
import { OTLP_JSON } from "./otlp-json.ts";
import { OTLP_PROTOBUF } from "./otlp-protobuf.ts";
import { LIMITS } from "../limits.ts";
import {
  inProtobuf,
  keyValues,
  otlpRecord,
  otlpRequest,
  type OtlpRequest,
} from "../testing/otlp-requests.ts";
import { readOtlp } from "./read-otlp.ts";

const read = (bytes: Buffer, encoding: OtlpEncoding) =>
  atOnce(readOtlp(bytes, encoding, LIMITS)).items.map((item) =>
    "events" in item
      ? { ...item, events: Buffer.from(item.events.bytes).toString(), requestSha256: "" }
      : item,
  );

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
    expect(reasonOf(bytes)).toEqual({
      rejected: "severity_number must be that of a LogRecord of OTLP in protobuf",
    });
  });

  test("unknown fields are ignored", () => {
    const unknown = Buffer.from([0xf8, 0x07, 0x01]);
    expect(reasonOf(Buffer.concat([unknown, body]))).toHaveProperty("events");
  });

  test("names what it ignores, if nothing else is there", () => {
    const ignoredOf = (bytes: Buffer) => atOnce(readOtlp(bytes, OTLP_PROTOBUF, LIMITS)).ignored;
    const unknown = Buffer.from([0xf8, 0x07, 0x01]);
    expect(ignoredOf(unknown)).toBe(
      "A part of the request was ignored: field 127 is not a member of ExportLogsServiceRequest, " +
        "which has no resource_logs (field 1).",
    );
    expect(ignoredOf(Buffer.concat([unknown, body]))).toBeUndefined();
    expect(ignoredOf(Buffer.alloc(0))).toBeUndefined();
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
    ["a member twice", '{"eventName": "a", "eventName": "b"}', "must be JSON that can be kept"],
    ["no object", '"secret"', "must be JSON that can be kept"],
    ["another type", '{"eventName": 7}', "eventName must be that of a LogRecord of OTLP in JSON"],
    [
      "a severity that is a name",
      '{"eventName": "a", "severityNumber": "secret"}',
      "severityNumber must be that of a LogRecord of OTLP in JSON",
    ],
    ["no JSON", '{"eventName": secret}', "eventName must be JSON that can be kept"],
    ["no list", '{"eventName": "a", "attributes": 7}', "attributes must be an array"],
    [
      "an attribute without a readable name",
      '{"eventName": "a", "attributes": [{"key": 7}]}',
      "key must be that of a KeyValue of OTLP in JSON",
    ],
  ])("rejects %s, and names the field", (_, record, rejected) => {
    expect(reasonOf(record)).toEqual({ rejected });
  });

  test.each([
    ["a member twice", '{"stringValue": "", "stringValue": "secret"}'],
    ["two values of one", '{"stringValue": "secret", "intValue": 1}'],
    ["an integer beyond 64 bits", '{"intValue": "18446744073709551616"}'],
    ["octets that are not base64", '{"bytesValue": "secret!"}'],
  ])("leaves out a value with %s", (_, value) => {
    const attributes = `[{"key": "a", "value": ${value}}, {"key": "b"}]`;
    const item = reasonOf(`{"eventName": "x", "body": ${value}, "attributes": ${attributes}}`);
    expect(item).toMatchObject({
      events: expect.stringMatching(
        /"attributes":\{"a":\{"annals_omitted":.*"b":null\},"body":\{"annals_omitted"/,
      ),
      isReduced: true,
    });
    expect(JSON.stringify(item)).not.toContain("secret");
  });

  const record = '{"eventName": "x"}';
  test.each([
    ['{"resource_logs": []}', '"resource_logs"', "ExportLogsServiceRequest", "resourceLogs"],
    [
      `{"resourceLogs":[{"instrumentationLibraryLogs":[{"logRecords":[${record}]}]}]}`,
      '"instrumentationLibraryLogs"',
      "ResourceLogs",
      "scopeLogs",
    ],
    [
      `{"resourceLogs":[{"scopeLogs":[{"log_records":[${record}]},{"logRecords":[${record}]}]}]}`,
      '"log_records"',
      "ScopeLogs",
      "logRecords",
    ],
  ])("names what it ignores: %s", (body, unknown, of, wanted) => {
    expect(atOnce(readOtlp(Buffer.from(body), OTLP_JSON, LIMITS)).ignored).toBe(
      `A part of the request was ignored: ${unknown} is not a member of ${of}, which has no ${wanted}.`,
    );
  });

  test.each(["{}", '{"resourceLogs":[]}', '{"resourceLogs":[{"scopeLogs":[{"scope":{}}]}]}'])(
    "ignores nothing in %s",
    (body) => {
      expect(atOnce(readOtlp(Buffer.from(body), OTLP_JSON, LIMITS)).ignored).toBeUndefined();
    },
  );

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
