// OTLP in JSON: ProtoJSON with lowerCamelCase names, where ids of traces are hexadecimal. Used by
// v1/intake/read-otlp.ts. Members that it does not know are ignored, as the protocol demands. It must never
// read one of two members with the same name.

import { JsonFault, type JsonValue, readJsonLoosely } from "@annals/event";
import { type DescField, fromJson, type JsonObject, ScalarType } from "@bufbuild/protobuf";
import { Rejection } from "./item.ts";
import { listOf, membersOf } from "./json-slices.ts";
import type { OtlpEncoding } from "./otlp-encoding.ts";

/** Bytes that are hexadecimal. */
const HEXADECIMAL = ["traceId", "spanId"];
const PAIRS = /^(?:[0-9a-f]{2})*$/i;

export const OTLP_JSON: OtlpEncoding = {
  *list(bytes, { elements: { jsonName: name }, shared }, maxElements) {
    const { elements, members } = yield* listOf(bytes, { name, maxElements });
    const other = members.get(name);
    if (other !== undefined && !isNull(other)) throw new JsonFault(name, "must be an array", 0);
    const beside = shared && members.get(shared.jsonName);
    return { elements: elements ?? [], shared: beside && isNull(beside) ? undefined : beside };
  },

  read(schema, bytes, limits) {
    const fields = new Map(schema.fields.map((field) => [field.jsonName, field]));
    const object: JsonObject = {};
    let isAltered = false;
    try {
      for (const [name, slice] of membersOf(bytes)) {
        const field = fields.get(name);
        if (field === undefined) continue;
        const read = readJsonLoosely(slice, limits);
        object[name] = (HEXADECIMAL.includes(name) ? base64(read.value) : read.value) as JsonObject;
        isAltered ||= read.isAltered && !isNumber(field);
      }
      const options = { ignoreUnknownFields: true, recursionLimit: limits.maxDepth };
      return { message: fromJson(schema, object, options), isAltered };
    } catch (error) {
      // The message of either may quote a value.
      if (error instanceof JsonFault) throw new Rejection("must be JSON that can be kept");
      throw new Rejection(`must be a ${schema.name} of OTLP in JSON`);
    }
  },
};

/** A number of 64 bits is read whole, whether it is a number or a text. */
function isNumber(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar !== ScalarType.STRING;
}

/** An id that is not hexadecimal is not valid, and so absent, as the protocol has it. */
function base64(value: JsonValue): JsonValue {
  if (typeof value !== "string") return value;
  return PAIRS.test(value) ? Buffer.from(value, "hex").toString("base64") : "";
}

const isNull = (bytes: Buffer): boolean => bytes.equals(NULL);
const NULL = Buffer.from("null");
