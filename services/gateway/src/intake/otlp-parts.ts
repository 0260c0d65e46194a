// Reads a message of OTLP that has attributes: at once if it is small and nothing is wrong with it, otherwise
// each attribute and the body for itself. So one that is too large, too deep or not readable is replaced by
// its size and hash, and never costs the record. Called by read-otlp.ts. It must never read more
// than a few kilobytes, or one attribute, without yielding.

import { JsonFault, type ReadLimits } from "@annals/event";
import type { Work } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import {
  type AnyValue,
  AnyValueSchema,
  type InstrumentationScopeSchema,
  type KeyValue,
  KeyValueSchema,
  type LogRecord,
  type LogRecordSchema,
  type ResourceSchema,
} from "@annals/proto/otlp";
import {
  create,
  type DescField,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { sha256Of } from "./fit-event.ts";
import { Rejection } from "./item.ts";
import type { Beyond, OtlpEncoding, OtlpMessage } from "./otlp-encoding.ts";
import { LongTexts } from "./otlp-long-texts.ts";

/** Attributes of a record, a resource or a scope; by the default of the SDKs it has at most 128. */
const MAX_ATTRIBUTES = 1_000;
/** Values of a message and its attributes, as an encoding counts them: an event holds fewer. */
const MAX_VALUES = 10_000;
/** A message of so many bytes is read at once. */
const SMALL_BYTES = 16 * 1024;

type Attributed =
  | typeof LogRecordSchema
  | typeof ResourceSchema
  | typeof InstrumentationScopeSchema;

/** Throws {@link Rejection} if what is besides the attributes and the body cannot be read. */
export function* readAttributed<D extends Attributed>(
  encoding: OtlpEncoding,
  schema: D,
  bytes: Buffer,
  { maxDepth }: Pick<ReadLimits, "maxDepth">,
): Work<OtlpMessage<MessageShape<D>>> {
  if (bytes.length <= SMALL_BYTES) {
    const whole = yield* wholeOf(encoding, schema, bytes, { maxDepth, maxValues: MAX_VALUES });
    if (whole) return whole;
  }
  return yield* new Parts(encoding, maxDepth).read(schema, bytes);
}

/** Undefined if it has to be read in parts. */
function* wholeOf<D extends Attributed>(
  encoding: OtlpEncoding,
  schema: D,
  bytes: Buffer,
  limits: ReadLimits,
): Work<OtlpMessage<MessageShape<D>> | undefined> {
  try {
    const whole = yield* encoding.read(schema, bytes, limits);
    const { attributes } = whole.message as { readonly attributes: readonly KeyValue[] };
    return attributes.length <= MAX_ATTRIBUTES ? whole : undefined;
  } catch (error) {
    if (error instanceof Rejection) return undefined;
    throw error;
  }
}

class Parts {
  readonly #encoding: OtlpEncoding;
  readonly #maxDepth: number;
  readonly #texts = new LongTexts();
  #valuesLeft = MAX_VALUES;
  #isAltered = false;
  #isReduced = false;

  constructor(encoding: OtlpEncoding, maxDepth: number) {
    this.#encoding = encoding;
    this.#maxDepth = maxDepth;
  }

  *read<D extends Attributed>(schema: D, bytes: Buffer): Work<OtlpMessage<MessageShape<D>>> {
    const fields: readonly DescField[] = schema.fields;
    const body = fields.find(({ localName }) => localName === "body");
    const { attributes } = schema.field as { readonly attributes: DescField };
    const level = { elements: attributes, shared: body, isOpen: true };
    const found = yield* readable(this.#encoding.list(bytes, level, MAX_ATTRIBUTES));
    const read = yield* this.#readWithout(schema, found.rest);
    const message = read.message as unknown as LogRecord;
    yield* this.#texts.names(message);
    for (const element of found.elements) {
      const attribute = yield* this.#attribute(element);
      yield* this.#texts.attribute(attribute);
      message.attributes.push(attribute);
      yield;
    }
    if (found.shared) {
      message.body = yield* this.#body(found.shared);
      yield* this.#texts.value(message.body);
    }
    if (found.beyond) message.attributes.push(this.#beyond(found.beyond));
    const isAltered = this.#isAltered || this.#texts.isAltered;
    const isReduced = this.#isReduced;
    return { message: read.message, isAltered, isReduced, values: MAX_VALUES - this.#valuesLeft };
  }

  *#attribute(bytes: Buffer): Work<KeyValue> {
    try {
      return (yield* this.#readWithout(KeyValueSchema, bytes)).message;
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      // The name alone: without one the record is rejected.
      const value = KeyValueSchema.field.value;
      const { message: named } = yield* this.#readWithout(KeyValueSchema, bytes, [value]);
      named.value = this.#omitted(bytes);
      return named;
    }
  }

  *#body(bytes: Buffer): Work<AnyValue> {
    try {
      return (yield* this.#readWithout(AnyValueSchema, bytes)).message;
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      return this.#omitted(bytes);
    }
  }

  #beyond({ bytes, count }: Beyond): KeyValue {
    const what = { attributes: count, bytes: bytes.length, sha256: sha256Of(bytes) };
    this.#isReduced = true;
    return create(KeyValueSchema, { key: "annals_omitted", value: anyValueOf(what) });
  }

  #omitted(bytes: Buffer): AnyValue {
    this.#isReduced = true;
    const what = { bytes: bytes.length, sha256: sha256Of(bytes) };
    const values = [{ key: "annals_omitted", value: anyValueOf(what) }];
    return create(AnyValueSchema, { value: { case: "kvlistValue", value: { values } } });
  }

  *#readWithout<S extends Attributed | typeof KeyValueSchema | typeof AnyValueSchema>(
    schema: S,
    bytes: Buffer,
    except: readonly DescField[] = [],
  ): Work<OtlpMessage<MessageShape<S>>> {
    const limits = {
      maxDepth: this.#maxDepth,
      maxValues: Math.max(this.#valuesLeft, LEAST_VALUES),
    };
    const read = yield* this.#encoding.read(schema, bytes, limits, except);
    this.#valuesLeft -= read.values;
    if (read.isAltered) this.#isAltered = true;
    return read;
  }
}

/** Values that a message may have in any case: those of one attribute with a plain value. */
const LEAST_VALUES = 8;

/** Rethrows what is wrong with the list of the attributes as {@link Rejection}. */
function* readable<T>(work: Work<T>): Work<T> {
  try {
    return yield* work;
  } catch (error) {
    if (error instanceof JsonFault)
      throw new Rejection(
        error.path === "" ? "must be JSON that can be kept" : `${error.path} ${error.message}`,
      );
    if (error instanceof AnnalsError && error.kind === "invalid")
      throw new Rejection(error.message);
    throw error;
  }
}

function anyValueOf(
  members: Readonly<Record<string, string | number>>,
): MessageInitShape<typeof AnyValueSchema> {
  const values = Object.entries(members).map(([key, value]) => ({
    key,
    value: {
      value:
        typeof value === "string"
          ? { case: "stringValue" as const, value }
          : { case: "intValue" as const, value: BigInt(value) },
    },
  }));
  return { value: { case: "kvlistValue", value: { values } } };
}
