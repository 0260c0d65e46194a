// Makes what a source sends fit the limits of an event: long texts are shortened, and large values replaced
// by their size and hash. Called by the mappings of intake. Nothing must be lost because a client of the
// source chose a long name: the action itself is what the log is for. It must never do more work than the
// bytes of the event are worth, however many members they are.

import {
  canonicalJson,
  canonicalPieces,
  type JsonObject,
  type JsonValue,
  MAX_TEXT_LENGTH,
} from "@annals/event";
import { PIECE_BYTES, type Work } from "@annals/contract";
import { createHash } from "node:crypto";
import type { MappedEvent } from "./item.ts";

const HASH_LENGTH = 32;

/**
 * A text of at most `max` characters: a longer one is its beginning, an ellipsis, and 32 hexadecimal digits
 * of its SHA-256, so that two that are shortened differ.
 */
export function fitText(text: string, max: number = MAX_TEXT_LENGTH): string {
  // A character takes at most two code units.
  const characters = text.length <= max ? [] : Array.from(text.slice(0, 2 * max + 1));
  if (characters.length <= max) return text;
  const hash = createHash("sha256").update(text).digest("hex").slice(0, HASH_LENGTH);
  return `${characters.slice(0, max - HASH_LENGTH - 1).join("")}…${hash}`;
}

/** What stands for a value that is too large, or nests too deep, for an event. Yields after every piece. */
export function* omitted(value: JsonValue): Work<Omitted> {
  const hash = createHash("sha256");
  let bytes = 0;
  for (const piece of canonicalPieces(value, PIECE_BYTES)) {
    const text = Buffer.from(piece);
    hash.update(text);
    bytes += text.length;
    yield;
  }
  return { annals_omitted: { bytes, sha256: hash.digest("hex") } };
}

interface Omitted extends JsonObject {
  readonly annals_omitted: { readonly bytes: number; readonly sha256: string };
}

/** The same for bytes that could not be read. */
export function omittedBytes(bytes: Uint8Array): JsonObject {
  return { annals_omitted: { bytes: bytes.length, sha256: sha256Of(bytes) } };
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A member of the event that may be large: the objects on the way to it, and its name. */
export type LargePath = readonly [part: "actor" | "context" | "metadata", ...names: string[]];

/** Paths, and nothing wherever others may run while they are found. */
export type PathsToFit = Generator<LargePath | void, void>;

/**
 * Replaces the values at `paths` in their order, each by its size and hash, until the event has at most
 * `maxBytes`. It changes the event, whose objects on these paths must be of no other. Asks for a path only if
 * it needs it, and returns whether any value was replaced.
 */
export function* fitEvent(
  event: MappedEvent,
  paths: PathsToFit | readonly LargePath[],
  maxBytes: number,
): Work<boolean> {
  let size = Buffer.byteLength(event.action) + "{}".length;
  for (const part of PARTS) size += yield* measured(event[part] ?? {}, LEVELS_MEASURED);
  let isReduced = false;
  for (const path of size > maxBytes ? paths : []) {
    const saved = path === undefined ? 0 : yield* replace(event, path);
    if (saved > 0) isReduced = true;
    size -= saved;
    if (size <= maxBytes) break;
    yield;
  }
  return isReduced;
}

/** Levels of a part whose members are measured one by one: those that {@link LargePath} can name. */
const LEVELS_MEASURED = 2;

/** Bytes of a value in canonical form. Yields between members. */
function* measured(value: JsonValue, levels: number): Work<number> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject || levels === 0) return yield* sizeOf(value);
  const names = Object.keys(value);
  let bytes = "{}".length + Math.max(names.length - 1, 0);
  for (const name of names) {
    const ofName = name.length > PIECE_BYTES ? yield* sizeOf(name) : bytesOf(name);
    bytes += ofName + ":".length + (yield* measured(value[name] ?? null, levels - 1));
    yield;
  }
  return bytes;
}

const PARTS = ["actor", "target", "context", "metadata"] as const;

/** Bytes of a value in canonical form, as the limit counts them. Yields within large ones. */
export function* sizeOf(value: JsonValue): Work<number> {
  if (typeof value === "object" ? value === null : !isLong(value)) return bytesOf(value);
  let bytes = 0;
  let isFirst = true;
  for (const piece of canonicalPieces(value, PIECE_BYTES)) {
    if (!isFirst) yield;
    isFirst = false;
    bytes += Buffer.byteLength(piece);
  }
  return bytes;
}

const isLong = (value: JsonValue): boolean =>
  typeof value === "string" && value.length > PIECE_BYTES;

const bytesOf = (value: JsonValue): number => Buffer.byteLength(canonicalJson(value));

/** Returns the bytes that were saved: 0 if what stands for the value is not shorter. */
function* replace(event: MappedEvent, path: LargePath): Work<number> {
  let around = event as unknown as JsonObject | undefined;
  for (const name of path.slice(0, -1)) around = around?.[name] as JsonObject | undefined;
  const last = path.at(-1) as string;
  const value = around?.[last];
  if (around === undefined || value === undefined) return 0;
  const replacement = yield* omitted(value);
  const saved = replacement.annals_omitted.bytes - bytesOf(replacement);
  if (saved <= 0) return 0;
  around[last] = replacement;
  return saved;
}

/** The members that are there. */
export function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const there = Object.entries(members).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(there) as JsonObject;
}
