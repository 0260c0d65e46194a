// OTLP in protobuf. Used by v1/intake/read-otlp.ts. Bytes are checked before a message is made of them: a
// field of two bytes can take hundreds in memory. It must never read a field of another type than its own,
// nor beyond the end of its message.

import { isUtf8 } from "node:buffer";
import { PIECE_BYTES, type Work } from "@annals/contract";
import { invalid } from "@annals/errors";
import type { ReadLimits } from "@annals/event";
import { type DescField, type DescMessage, fromBinary, ScalarType } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { Rejection } from "./item.ts";
import type { OtlpEncoding, Slices } from "./otlp-encoding.ts";

class ProtobufFault extends Error {
  override readonly name = "ProtobufFault";
}

export const OTLP_PROTOBUF: OtlpEncoding = {
  *list(bytes, { elements, shared }, maxElements): Work<Slices> {
    const found: Buffer[] = [];
    const beside: Buffer[] = [];
    let yieldedAt = 0;
    try {
      for (const { bytes: slice, end, number, wireType } of fieldsOf(bytes)) {
        const field = [elements, shared].find((one) => one?.number === number);
        if (field) {
          if (wireType !== WireType.LengthDelimited) throw new ProtobufFault("another wire type");
          (field === shared ? beside : found).push(slice);
          if (found.length > maxElements || beside.length > maxElements)
            throw tooMany(elements, maxElements);
        }
        if (end - yieldedAt < PIECE_BYTES) continue;
        yieldedAt = end;
        yield;
      }
    } catch (error) {
      if (!(error instanceof ProtobufFault)) throw error;
      const { name } = elements.parent;
      throw invalid({
        field: "",
        message: `The body is not OTLP in protobuf: a ${name} ends early.`,
      });
    }
    // Two of a field that is not repeated are one, of both their fields.
    const [first] = beside;
    return { elements: found, shared: beside.length > 1 ? Buffer.concat(beside) : first };
  },

  read(schema, bytes, limits) {
    const check = new Check(limits);
    const options = { readUnknownFields: false, recursionLimit: limits.maxDepth };
    try {
      check.message(schema, bytes, 1);
      return { message: fromBinary(schema, bytes, options), isAltered: check.isAltered };
    } catch (error) {
      if (error instanceof Rejection) throw error;
      throw new Rejection(`must be a ${schema.name} of OTLP in protobuf`);
    }
  },
};

function tooMany({ jsonName }: DescField, maxElements: number) {
  return invalid({ field: jsonName, message: `must have at most ${maxElements} elements` });
}

interface Field {
  readonly number: number;
  readonly wireType: WireType;
  readonly bytes: Buffer;
  /** Its end in its message. */
  readonly end: number;
}

/** The fields of a message, as they come. Throws {@link ProtobufFault}. */
function* fieldsOf(message: Buffer): Generator<Field, void> {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) yield nextField(reader);
}

function nextField(reader: BinaryReader): Field {
  try {
    const [number, wireType] = reader.tag();
    const bytes =
      wireType === WireType.LengthDelimited ? reader.bytes() : reader.skip(wireType, number);
    const { buffer, byteOffset, length } = bytes;
    return { number, wireType, bytes: Buffer.from(buffer, byteOffset, length), end: reader.pos };
  } catch (error) {
    throw new ProtobufFault("a field ends early", { cause: error });
  }
}

/** Counts what a message consists of, and compares its fields with those of its schema. */
class Check {
  readonly #limits: ReadLimits;
  #values = 0;
  isAltered = false;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  message(schema: DescMessage, bytes: Buffer, depth: number): void {
    const { maxDepth, maxValues } = this.#limits;
    if (depth > maxDepth) throw new Rejection(`must not nest beyond ${maxDepth} messages`);
    for (const { bytes: value, number, wireType } of fieldsOf(bytes)) {
      this.#values += 1;
      if (this.#values > maxValues) throw new Rejection(`must have at most ${maxValues} fields`);
      const field = schema.fields.find((one) => one.number === number);
      if (field === undefined) continue;
      if (wireType !== wireTypeOf(field)) throw new ProtobufFault("another wire type");
      if (field.message) this.message(field.message, value, depth + 1);
      else if (field.scalar === ScalarType.STRING && !isUtf8(value)) this.isAltered = true;
    }
  }
}

/** No field of OTLP's logs is a group, or packed. */
function wireTypeOf({ message, scalar }: DescField): WireType {
  if (message) return WireType.LengthDelimited;
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
      return WireType.Bit64;
    default:
      return WireType.Varint;
  }
}
