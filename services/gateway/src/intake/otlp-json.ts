// OTLP in JSON: ProtoJSON with lowerCamelCase names, where ids of traces are hexadecimal. Given to
// read-otlp.ts by store-otlp-logs.ts. Members that it does not know are ignored, as the protocol demands. It
// must never read one of two members with the same name.

import { PIECE_BYTES } from "@annals/contract";
import { JsonFault, type JsonValue, readJsonLooselyInPieces } from "@annals/event";
import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  ScalarType,
} from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { Rejection } from "./item.ts";
import { listOf, type Members, membersInPieces } from "./json-slices.ts";
import { readLongBase64 } from "./long-base64.ts";
import type { OtlpEncoding } from "./otlp-encoding.ts";

/** Bytes that are hexadecimal. */
const HEXADECIMAL = ["traceId", "spanId"];
const PAIRS = /^(?:[0-9a-f]{2})*$/i;
/** Characters of the longest id. */
const MAX_ID = 32;
/** Characters of the name of a member that a message shows. */
const MAX_NAME = 80;

export const OTLP_JSON: OtlpEncoding = {
  *list(bytes, { elements: field, isOpen, shared }, maxElements) {
    const { jsonName: name, parent } = field;
    const { beyond, elements, members } = yield* listOf(bytes, { name, maxElements, isOpen });
    const other = members.get(name);
    if (other !== undefined && !isNull(other)) throw new JsonFault(name, "must be an array", 0);
    const beside = shared && members.get(shared.jsonName);
    const known = parent.fields.map(({ jsonName }) => jsonName);
    const unknown = [...members.keys()].find((each) => !known.includes(each));
    return {
      elements: elements ?? [],
      shared: beside && isNull(beside) ? undefined : beside,
      beyond,
      rest: isOpen ? objectOf(members, known, [name, shared?.jsonName]) : NOTHING,
      unknown: unknown && JSON.stringify(unknown.slice(0, MAX_NAME)),
    };
  },

  *read(schema, bytes, limits, except = []) {
    const object: JsonObject = {};
    let isAltered = false;
    let values = 0;
    let reading = "";
    try {
      for (const [name, slice] of yield* membersInPieces(bytes)) {
        const field = schema.fields.find(({ jsonName }) => jsonName === name);
        if (field === undefined || except.includes(field)) continue;
        reading = `${name} `;
        const maxValues = Math.max(limits.maxValues - values, 0);
        const work = readJsonLooselyInPieces(slice, { ...limits, maxValues }, PIECE_BYTES);
        const read = yield* work;
        object[name] = (HEXADECIMAL.includes(name) ? base64(read.value) : read.value) as JsonObject;
        isAltered ||= read.isAltered && !isNumber(field);
        values += 1 + read.values;
      }
      if (bytes.length > PIECE_BYTES) yield* readLongBase64(object);
      const options = { ignoreUnknownFields: true, recursionLimit: limits.maxDepth };
      return { message: fromJson(schema, object, options), isAltered, isReduced: false, values };
    } catch (error) {
      // The message of either may quote a value.
      if (error instanceof JsonFault)
        throw new Rejection(`${reading}must be JSON that can be kept`);
      throw new Rejection(faultOf(schema, error));
    }
  },

  nameOf: ({ jsonName }) => jsonName,
};

/** The members that are known, without some. */
function objectOf(members: Members, known: readonly string[], except: readonly unknown[]): Buffer {
  const names = known.filter((name) => members.has(name) && !except.includes(name));
  const parts = names.flatMap((name, index) => [
    Buffer.from(`${index === 0 ? "" : ","}${JSON.stringify(name)}:`),
    members.get(name) ?? NULL,
  ]);
  return Buffer.concat([Buffer.from("{"), ...parts, Buffer.from("}")]);
}

/** Names the field, which may be one of a message in this one. */
function faultOf({ name }: DescMessage, error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  if (!isFieldError(cause)) return `must be a ${name} of OTLP in JSON`;
  const field = cause.field();
  const of = field.parent?.name ?? name;
  return `${"jsonName" in field ? field.jsonName : field.name} must be that of a ${of} of OTLP in JSON`;
}

/** A number of 64 bits is read whole, whether it is a number or a text. */
function isNumber(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar !== ScalarType.STRING;
}

/** An id that is not hexadecimal is not valid, and so absent, as the protocol has it. */
function base64(value: JsonValue): JsonValue {
  if (typeof value !== "string") return value;
  return value.length <= MAX_ID && PAIRS.test(value)
    ? Buffer.from(value, "hex").toString("base64")
    : "";
}

const isNull = (bytes: Buffer): boolean => bytes.equals(NULL);
const NULL = Buffer.from("null");
const NOTHING = Buffer.alloc(0);
