// The strict reader of JSON: RFC 8259 to the letter, and a refusal for all that canonical JSON (RFC 8785)
// could not carry faithfully. The gateway reads every body with it. It must never alter a value silently,
// and never take more than linear time or memory, whatever the bytes are.

import { JsonFault } from "./json-value.ts";
import type { JsonValue } from "./json-value.ts";
import { DEPTH_CEILING, type ReadLimits } from "./read-limits.ts";
import { LooseReader } from "./loose-reader.ts";
import { PiecewiseReader } from "./piecewise-reader.ts";
import { Reader } from "./reader.ts";
import { decodeLoosely, decodeLooselyInPieces, decodeUtf8, validPrefix } from "./utf8.ts";

/**
 * Reads one JSON text.
 *
 * Throws JsonFault for what RFC 8259 does not allow (a byte order mark and invalid UTF-8 included) and for:
 * equal member names in one object (after their escapes are read), a number whose decimal value a double
 * does not keep, a lone surrogate, U+0000 in a string or a name, nesting beyond `maxDepth`, more
 * than `maxValues` members and elements. `-0` reads as 0, as RFC 8785 has it.
 *
 * Objects inherit nothing (see JsonObject). Treat the result as read-only: members with integer names
 * cannot be deleted.
 */
export function readJson(bytes: Uint8Array, limits: ReadLimits): JsonValue {
  return new Reader(textOf(bytes, limits), limits).readText();
}

/** The same in pieces: a generator that yields each time it has read `characters`. */
export function* readJsonInPieces(
  bytes: Uint8Array,
  limits: ReadLimits,
  characters: number,
): Generator<void, JsonValue> {
  checkLimits(limits);
  const text = decodeUtf8(bytes);
  if (text !== undefined) return yield* new PiecewiseReader(text, limits).readInPieces(characters);
  const valid = validPrefix(bytes);
  try {
    yield* new PiecewiseReader(valid.text, limits).readInPieces(characters);
  } catch (error) {
    throw firstFault(error, valid.offset);
  }
  throw invalidUtf8("", valid.offset);
}

/** What {@link readJsonLoosely} has read. */
export interface LooselyRead {
  readonly value: JsonValue;
  /** Whether a value differs from what the text says. */
  readonly isAltered: boolean;
  /** Its members and elements, at every level. */
  readonly values: number;
}

/**
 * Reads one JSON text as far as canonical JSON can carry it: a number that a double does not keep becomes its
 * text, and U+0000, half of a surrogate pair and invalid UTF-8 become U+FFFD. `isAltered` says whether any
 * did. Throws JsonFault for all else that {@link readJson} refuses.
 */
export function readJsonLoosely(bytes: Uint8Array, limits: ReadLimits): LooselyRead {
  checkLimits(limits);
  const text = decodeUtf8(bytes);
  const reader = new LooseReader(text ?? decodeLoosely(bytes), limits);
  const value = reader.readText();
  return looselyRead(value, reader, text !== undefined);
}

/** The same in pieces: a generator that yields each time it has read `characters`. */
export function* readJsonLooselyInPieces(
  bytes: Uint8Array,
  limits: ReadLimits,
  characters: number,
): Generator<void, LooselyRead> {
  checkLimits(limits);
  const text = decodeUtf8(bytes);
  const decoded = text ?? (yield* decodeLooselyInPieces(bytes, characters));
  const reader = new LooseReader(decoded, limits);
  const value = yield* reader.readInPieces(characters);
  return looselyRead(value, reader, text !== undefined);
}

function looselyRead(value: JsonValue, reader: LooseReader, isUtf8: boolean): LooselyRead {
  return { value, isAltered: reader.isAltered || !isUtf8, values: reader.count };
}

function textOf(bytes: Uint8Array, limits: ReadLimits): string {
  checkLimits(limits);
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  const valid = validPrefix(bytes);
  try {
    new Reader(valid.text, limits).readText();
  } catch (error) {
    throw firstFault(error, valid.offset);
  }
  throw invalidUtf8("", valid.offset);
}

function checkLimits(limits: ReadLimits): void {
  const { maxDepth, maxValues } = limits;
  if (!Number.isInteger(maxDepth) || maxDepth < 0 || maxDepth > DEPTH_CEILING) {
    throw new RangeError(`maxDepth must be an integer from 0 to ${DEPTH_CEILING}`);
  }
  if (!Number.isSafeInteger(maxValues) || maxValues < 0) {
    throw new RangeError("maxValues must be a safe integer, not negative");
  }
}

/**
 * The fault of a text that is not UTF-8 from an offset on. The reader of what is before it finds the member:
 * it ends inside it, unless a fault lies before.
 */
function firstFault(error: unknown, offset: number): unknown {
  if (!(error instanceof JsonFault) || error.offset < offset) return error;
  return invalidUtf8(error.path, offset);
}

function invalidUtf8(path: string, offset: number): JsonFault {
  return new JsonFault(path, "the text is not valid UTF-8", offset);
}
