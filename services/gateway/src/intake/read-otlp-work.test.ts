// Guarantees: the work for a request of OTLP is linear in its bytes, however many scopes share a resource and
// however many attributes there are, and no piece of it reads more than a few kilobytes and one attribute.
// The bytes that are read and the values that are looked at are counted: no clock decides.

import type { ReadLimits } from "@annals/event";
import { KeyValueSchema } from "@annals/proto/otlp";
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import type { OtlpEncoding } from "./otlp-encoding.ts";
import { OTLP_JSON } from "./otlp-json.ts";
import { OTLP_PROTOBUF } from "./otlp-protobuf.ts";
import { LIMITS } from "../limits.ts";
import { inJson, inProtobuf, keyValues, type OtlpRequest } from "../testing/otlp-requests.ts";
import { readOtlp } from "./read-otlp.ts";

const ENCODINGS = [
  ["protobuf", OTLP_PROTOBUF, inProtobuf],
  ["json", OTLP_JSON, inJson],
] as const;

interface Counted {
  /** Bytes of all messages that were read, those of messages in them apart. */
  readonly bytes: number;
  /** The most that were read in one piece. */
  readonly longest: number;
  readonly pieces: number;
  /** Attempts to read a resource. */
  readonly resources: number;
}

/** Reads a request, and counts what its encoding reads. */
function count(encoding: OtlpEncoding, request: Buffer): Counted {
  let [bytes, longest, pieces, resources] = [0, 0, 0, 0];
  const counting: OtlpEncoding = {
    ...encoding,
    read<D extends DescMessage>(
      schema: D,
      slice: Buffer,
      limits: ReadLimits,
      except?: readonly DescField[],
    ) {
      if (schema.name === "Resource") resources += 1;
      // What it is to skip is not read.
      if (except === undefined || except.length === 0) bytes += slice.length;
      return encoding.read(schema, slice, limits, except);
    },
  };
  const work = readOtlp(request, counting, LIMITS);
  for (let before = 0; ; before = bytes) {
    const piece = work.next();
    pieces += 1;
    longest = Math.max(longest, bytes - before);
    if (piece.done === true) return { bytes, longest, pieces, resources };
  }
}

const attributes = (many: number) =>
  keyValues(Object.fromEntries(Array.from({ length: many }, (_, n) => [`name${n}`, "value"])));

/** A resource of many attributes, and scopes of one record. */
const ofScopes = (scopes: number): OtlpRequest => ({
  resourceLogs: [
    {
      resource: { attributes: attributes(900) },
      scopeLogs: Array.from({ length: scopes }, () => ({ logRecords: [{ eventName: "x" }] })),
    },
  ],
});

const ofRecords = (records: number): OtlpRequest => {
  const record = { eventName: "x", attributes: attributes(19_000) };
  return {
    resourceLogs: [{ scopeLogs: [{ logRecords: Array.from({ length: records }, () => record) }] }],
  };
};

/** The bytes that are read at once, and more than any of the attributes here. */
const MOST_IN_A_PIECE = 17 * 1024;

test.each(ENCODINGS)("%s: a resource is read once for all its scopes", (_, encoding, written) => {
  const [one, thousand] = [ofScopes(1), ofScopes(1_000)].map(written);
  const alone = count(encoding, one!);
  const shared = count(encoding, thousand!);
  expect(shared.bytes - alone.bytes).toBeLessThan(thousand!.length - one!.length);
  expect(shared.longest).toBeLessThan(MOST_IN_A_PIECE);
});

test.each(ENCODINGS)("%s: many attributes are read in pieces, and once", (_, encoding, written) => {
  const [two, four] = [ofRecords(2), ofRecords(4)].map((request) =>
    count(encoding, written(request)),
  );
  expect(four!.bytes).toBeLessThanOrEqual(2.2 * two!.bytes);
  expect(four!.pieces).toBeLessThanOrEqual(2.2 * two!.pieces);
  expect(four!.longest).toBeLessThan(MOST_IN_A_PIECE);
  // No more than the first 1,000 of each record.
  expect(four!.bytes).toBeLessThan((4 * written(ofRecords(1)).length) / 10);
});

test("what is wrong with a resource is found once", () => {
  const wrong = (scopes: number) =>
    Buffer.from(
      inJson(ofScopes(scopes))
        .toString()
        .replace('"resource":{', '"resource":{"droppedAttributesCount":"x",'),
    );
  const [few, many] = [2, 20].map((scopes) => count(OTLP_JSON, wrong(scopes)));
  expect(few!.resources).toBeLessThanOrEqual(2);
  expect(many!.resources).toBe(few!.resources);
});

test.each(["x", "é", "\\u0041"])("json: an attribute of many %s is read in pieces", (text) => {
  const json = `{"key":"long","value":{"stringValue":"${text.repeat(256 * 1024)}"}}`;
  const limits = { maxDepth: 32, maxValues: 8 };
  const work = OTLP_JSON.read(KeyValueSchema, Buffer.from(json), limits);
  const pieces = Array.from(work).length;
  expect(pieces).toBeGreaterThan((0.9 * json.length) / MOST_IN_A_PIECE);
});
