// Guarantees: in both encodings, no piece of the work for a request of OTLP is larger than a few kilobytes of
// it, whatever one attribute, the body or a name has: controls, quotes, U+0000, bytes, levels; and the events
// are those of the values. Pieces are counted and measured in bytes: no clock decides.

import { createHash } from "node:crypto";
import { atOnce, PIECE_BYTES } from "@annals/contract";
import { canonicalJson, type JsonObject, readJson } from "@annals/event";
import { AnyValueSchema, KeyValueSchema } from "@annals/proto/otlp";
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { OTLP_JSON } from "./otlp-json.ts";
import { LongTexts } from "./otlp-long-texts.ts";
import { OTLP_PROTOBUF } from "./otlp-protobuf.ts";
import { LIMITS } from "../limits.ts";
import {
  inJson,
  inProtobuf,
  keyValues,
  type OtlpRecord,
  otlpRequest,
} from "../testing/otlp-requests.ts";
import { readOtlp } from "./read-otlp.ts";

const ENCODINGS = [
  ["protobuf", OTLP_PROTOBUF, inProtobuf],
  ["json", OTLP_JSON, inJson],
] as const;
const LONG = 64 * PIECE_BYTES;

type Encoding = (typeof ENCODINGS)[number];

/** The event of the one record, and the pieces of the work. */
function read([, encoding, written]: Encoding, record: OtlpRecord) {
  const work = readOtlp(written(otlpRequest(record)), encoding, LIMITS);
  let pieces = 1;
  let piece = work.next();
  for (; piece.done !== true; pieces += 1) piece = work.next();
  const [item] = piece.value.items;
  if (!item || !("events" in item)) return expect.fail(JSON.stringify(item));
  const limits = { maxDepth: 64, maxValues: 100_000 };
  const [event] = readJson(item.events.bytes, limits) as JsonObject[];
  return { event: event ?? {}, pieces };
}

const omitted = (value: unknown) => {
  const text = canonicalJson(value as JsonObject);
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { annals_omitted: { bytes: Buffer.byteLength(text), sha256 } };
};
const nested = (value: unknown, levels: number): unknown =>
  levels === 0 ? value : [nested(value, levels - 1)];
const bytesValue = (value: Uint8Array) => ({ value: { case: "bytesValue" as const, value } });

describe.each(ENCODINGS)("%s", (...encoding) => {
  test.each<[string, unknown, unknown]>([
    ["a text", "x".repeat(LONG), "x".repeat(LONG)],
    ["a text of controls", "\u0001".repeat(LONG), "\u0001".repeat(LONG)],
    ["a text of U+0000", "é\0".repeat(LONG / 2), "é\ufffd".repeat(LONG / 2)],
    ["bytes", Buffer.alloc(LONG, "ä?>"), Buffer.alloc(LONG, "ä?>").toString("base64")],
    ["texts", nested(["\0", "\0".repeat(LONG)], 3), nested(["\ufffd", "\ufffd".repeat(LONG)], 3)],
  ])("an attribute that is %s is read in pieces", (_, value, inEvent) => {
    const record = { eventName: "x", attributes: keyValues({ large: value as string }) };
    const { event, pieces } = read(encoding, record);
    expect(event["metadata"]).toMatchObject({ attributes: { large: omitted(inEvent) } });
    // It is measured to find that it is too large, measured among the others, and hashed.
    expect(pieces).toBeGreaterThan((2.8 * LONG) / PIECE_BYTES);
  });

  test("so is the body", () => {
    const value = Buffer.alloc(LONG, 7);
    const { event, pieces } = read(encoding, { eventName: "x", body: bytesValue(value) });
    expect(event["metadata"]).toEqual({ body: omitted(value.toString("base64")) });
    expect(pieces).toBeGreaterThan((2.5 * LONG) / PIECE_BYTES);
  });

  test("what nests too deep is measured in pieces", () => {
    const attributes = keyValues({ deep: nested("\u0001".repeat(LONG), 30) as string });
    const { event, pieces } = read(encoding, { eventName: "x", attributes });
    expect(JSON.stringify(event)).toContain('"annals_omitted":{"bytes":');
    expect(pieces).toBeGreaterThan((0.9 * LONG) / PIECE_BYTES);
  });

  test.each(["x", "\0", "\u0001"])("names of many %j are read in pieces", (character) => {
    const name = character.repeat(LONG);
    const record = { eventName: name, severityText: name, attributes: keyValues({ [name]: "1" }) };
    const { event, pieces } = read(encoding, record);
    expect(event["metadata"]).toMatchObject({ attributes: { annals_omitted: {} } });
    expect(pieces).toBeGreaterThan((1.8 * LONG) / PIECE_BYTES);
  });
});

test.each([
  ["U+0000", { case: "stringValue" as const, value: "\0".repeat(LONG) }, "\ufffd".repeat(LONG)],
  [
    "bytes",
    { case: "bytesValue" as const, value: Buffer.alloc(LONG) },
    Buffer.alloc(LONG).toString("base64"),
  ],
])("a text of %s is made in pieces, before the event is", (_, value, made) => {
  const any = create(AnyValueSchema, { value });
  const pieces = Array.from(new LongTexts().value(any)).length;
  expect(any.value.value === made).toBe(true);
  expect(pieces).toBeGreaterThanOrEqual(LONG / PIECE_BYTES);
});

describe("a text in protobuf that is not UTF-8", () => {
  /** Each text of the attribute ends with a letter of which the last byte is another one. */
  const attribute = (bytes: number, value: (text: string) => unknown = (text) => text) => {
    const attributes = keyValues({ a: value(`${"é".repeat(bytes / 2)}Z`) as string, b: "kept" });
    const request = inProtobuf(otlpRequest({ eventName: "x", attributes }));
    for (let at = request.indexOf("éZ"); at >= 0; at = request.indexOf("éZ"))
      request[at + 1] = 0x2e;
    return request;
  };
  const attributesOf = (request: Buffer) => {
    const { items } = atOnce(readOtlp(request, OTLP_PROTOBUF, LIMITS));
    const [item] = items;
    if (!item || !("events" in item)) return expect.fail(JSON.stringify(item));
    const [event] = readJson(item.events.bytes, { maxDepth: 64, maxValues: 100 }) as JsonObject[];
    return (event as { metadata: JsonObject }).metadata["attributes"];
  };

  test("is repaired if it is short", () => {
    const repaired = `${"é".repeat(1_000 - 1)}\ufffd.Z`;
    expect(attributesOf(attribute(2_000))).toEqual({ a: repaired, b: "kept" });
  });

  test.each<[string, (text: string) => unknown]>([
    ["one", (text) => text],
    ["several in one attribute", (text) => Array.from({ length: 4 }, () => text.slice(-16_000))],
  ])("is left out as it was sent if it is long: %s", (_, value) => {
    const { a, b } = attributesOf(attribute(96 * 1024, value)) as Record<string, JsonObject>;
    expect(b).toBe("kept");
    const [sent] = keyValues({ a: value(`${"é".repeat(48 * 1024)}Z`) as string });
    const attributeSent = toBinary(KeyValueSchema, create(KeyValueSchema, sent));
    // The whole attribute, which could not be read.
    expect(a).toMatchObject({ annals_omitted: { bytes: attributeSent.length } });
  });
});

describe("long base64 in JSON", () => {
  const bytes = Buffer.alloc(96 * 1024, Buffer.from([0xfb, 0xff, 0x3e, 0x00, 0x41]));
  const readValue = (members: object) => {
    const json = JSON.stringify({ key: "a", value: members });
    const limits = { maxDepth: 32, maxValues: 8 };
    return atOnce(OTLP_JSON.read(KeyValueSchema, Buffer.from(json), limits)).message.value?.value;
  };

  test("is read with and without padding, and of both alphabets", () => {
    for (const size of [0, 1, 2])
      for (const given of [
        bytes.subarray(size).toString("base64"),
        bytes.subarray(size).toString("base64").replace(/=+$/, ""),
        bytes.subarray(size).toString("base64url"),
      ])
        expect(readValue({ bytesValue: given, stringValue: null })).toEqual({
          case: "stringValue",
          value: bytes.subarray(size).toString("base64"),
        });
  });

  test("is refused if it is wrong, or beside another value", () => {
    const long = bytes.toString("base64");
    for (const bytesOf of [`${long}A===`, `*${long}`, `${long.slice(0, -4)}A`, `${long}ä`])
      expect(() => readValue({ bytesValue: bytesOf })).toThrow("bytesValue must be that of a");
    for (const other of [{ stringValue: "x" }, { intValue: "1" }])
      expect(() => readValue({ ...other, bytesValue: long })).toThrow("must be that of a");
  });

  test("is read in pieces", () => {
    const long = "AAAA".repeat(LONG / 4);
    const json = JSON.stringify({ key: "a", value: { bytesValue: long } });
    const work = OTLP_JSON.read(KeyValueSchema, Buffer.from(json), { maxDepth: 32, maxValues: 8 });
    expect(Array.from(work).length).toBeGreaterThan((1.8 * LONG) / PIECE_BYTES);
  });
});
