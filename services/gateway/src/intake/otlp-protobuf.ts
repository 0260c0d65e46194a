// OTLP in protobuf. Given to read-otlp.ts by store-otlp-logs.ts. Bytes are checked before a message is made
// of them: a field of two bytes can take hundreds in memory. It must never read a field of another type than
// its own, nor beyond the end of its message.

import { isUtf8 } from "node:buffer";
import { PIECE_BYTES, type Work } from "@annals/contract";
import { invalid } from "@annals/errors";
import type { ReadLimits } from "@annals/event";
import { type DescField, type DescMessage, fromBinary, ScalarType } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { Rejection } from "./item.ts";
import type { Beyond, OtlpEncoding, Slices } from "./otlp-encoding.ts";

/** Bytes of texts that are not UTF-8 in a message: to replace what is wrong takes long. */
const MAX_REPAIRED_BYTES = 64 * 1024;

class ProtobufFault extends Error {
  override readonly name = "ProtobufFault";
}

export const OTLP_PROTOBUF: OtlpEncoding = {
  *list(bytes, { elements, isOpen = false, shared }, maxElements): Work<Slices> {
    const found: Buffer[] = [];
    const beside: Buffer[] = [];
    // The last one counts if a field is not repeated.
    const others = new Map<number, Buffer>();
    let beyond: Beyond | undefined;
    let unknown: string | undefined;
    let yieldedAt = 0;
    try {
      for (const { bytes: slice, end, number, start, wireType } of fieldsOf(bytes)) {
        const field = number === elements.number ? elements : shared;
        if (field?.number === number) {
          if (wireType !== WireType.LengthDelimited) throw new ProtobufFault("another wire type");
          const list = field === shared ? beside : found;
          if (list.length < maxElements) list.push(slice);
          else if (!isOpen || field === shared) throw tooMany(elements, maxElements);
          else
            beyond = {
              count: (beyond?.count ?? 0) + 1,
              bytes: beyond?.bytes ?? bytes.subarray(start),
            };
        } else if (isKnown(elements.parent, number)) {
          if (isOpen) others.set(number, bytes.subarray(start, end));
        } else unknown ??= `field ${number}`;
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
    const one = beside.length > 1 ? Buffer.concat(beside) : first;
    return {
      elements: found,
      shared: one,
      beyond,
      rest: Buffer.concat([...others.values()]),
      unknown,
    };
  },

  // oxlint-disable-next-line require-yield -- the library reads a message at once
  *read(schema, bytes, limits, except = []) {
    const check = new Check(limits);
    const options = { readUnknownFields: false, recursionLimit: limits.maxDepth };
    try {
      const rest = except.length === 0 ? bytes : without(bytes, except);
      check.message(schema, rest, 1);
      const message = fromBinary(schema, rest, options);
      return { message, isAltered: check.isAltered, isReduced: false, values: check.values };
    } catch (error) {
      if (error instanceof Rejection) throw error;
      throw new Rejection(
        check.reading === ""
          ? `must be a ${schema.name} of OTLP in protobuf`
          : `${check.reading} must be that of a ${schema.name} of OTLP in protobuf`,
      );
    }
  },

  nameOf: ({ name, number }) => `${name} (field ${number})`,
};

/** The bytes of a message without these fields. Throws {@link ProtobufFault}. */
function without(message: Buffer, except: readonly DescField[]): Buffer {
  const numbers = except.map(({ number }) => number);
  const kept: Buffer[] = [];
  for (const { end, number, start } of fieldsOf(message))
    if (!numbers.includes(number)) kept.push(message.subarray(start, end));
  return Buffer.concat(kept);
}

function isKnown({ fields }: DescMessage, number: number): boolean {
  return fields.some((field) => field.number === number);
}

function tooMany({ jsonName }: DescField, maxElements: number) {
  return invalid({ field: jsonName, message: `must have at most ${maxElements} elements` });
}

interface Field {
  readonly number: number;
  readonly wireType: WireType;
  readonly bytes: Buffer;
  /** Its start and its end in its message. */
  readonly start: number;
  readonly end: number;
}

/** The fields of a message, as they come. Throws {@link ProtobufFault}. */
function* fieldsOf(message: Buffer): Generator<Field, void> {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) yield nextField(reader);
}

function nextField(reader: BinaryReader): Field {
  const start = reader.pos;
  try {
    const [number, wireType] = reader.tag();
    const bytes =
      wireType === WireType.LengthDelimited ? reader.bytes() : reader.skip(wireType, number);
    const { buffer, byteOffset, length } = bytes;
    const slice = Buffer.from(buffer, byteOffset, length);
    return { number, wireType, bytes: slice, start, end: reader.pos };
  } catch (error) {
    throw new ProtobufFault("a field ends early", { cause: error });
  }
}

/** Counts what a message consists of, and compares its fields with those of its schema. */
class Check {
  readonly #limits: ReadLimits;
  values = 0;
  isAltered = false;
  /** The field of the message itself that is being checked. */
  reading = "";
  /** Bytes of texts that are not UTF-8. */
  #repaired = 0;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  message(schema: DescMessage, bytes: Buffer, depth: number): void {
    const { maxDepth, maxValues } = this.#limits;
    if (depth > maxDepth) throw new Rejection(`must not nest beyond ${maxDepth} messages`);
    for (const { bytes: value, number, wireType } of fieldsOf(bytes)) {
      this.values += 1;
      if (this.values > maxValues) throw new Rejection(`must have at most ${maxValues} fields`);
      const field = schema.fields.find((one) => one.number === number);
      if (field === undefined) continue;
      if (depth === 1) this.reading = field.name;
      if (wireType !== wireTypeOf(field)) throw new ProtobufFault("another wire type");
      if (field.message) this.message(field.message, value, depth + 1);
      else if (field.scalar === ScalarType.STRING && !isUtf8(value)) this.#repair(value);
    }
  }

  /** The library replaces what is wrong with a text, all at once. */
  #repair(text: Buffer): void {
    this.isAltered = true;
    this.#repaired += text.length;
    if (this.#repaired > MAX_REPAIRED_BYTES)
      throw new Rejection(
        `${this.reading} must be UTF-8 if it has more than ${MAX_REPAIRED_BYTES} bytes`,
      );
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
