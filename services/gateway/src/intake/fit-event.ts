// Makes what a source sends fit the limits of an event: long texts are shortened, and large values replaced
// by their size and hash. Called by the mappings of intake. Nothing must be lost because a client of the
// source chose a long name: the action itself is what the log is for.

import { canonicalJson, type JsonObject, type JsonValue, MAX_TEXT_LENGTH } from "@annals/event";
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

/** What stands for a value that is too large for an event. */
function omitted(value: JsonValue): JsonObject {
  return omittedBytes(Buffer.from(canonicalJson(value)));
}

/** The same for bytes that could not be read. */
export function omittedBytes(bytes: Uint8Array): JsonObject {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { annals_omitted: { bytes: bytes.length, sha256 } };
}

/** A member of the event that may be large: the objects on the way to it, and its name. */
export type LargePath = readonly [part: "actor" | "context" | "metadata", ...names: string[]];

/**
 * Replaces the values at `paths` in their order, each by its size and hash, until the event has at most
 * `maxBytes`. Returns the event, and whether any was replaced.
 */
export function fitEvent(
  given: MappedEvent,
  paths: readonly LargePath[],
  maxBytes: number,
): { readonly event: MappedEvent; readonly isReduced: boolean } {
  let event = given;
  let size = sizeOf(event);
  for (const path of paths) {
    if (size <= maxBytes) break;
    const value = valueAt(event, path);
    if (value === undefined) continue;
    const replacement = omitted(value);
    const saved = bytesOf(value) - bytesOf(replacement);
    if (saved <= 0) continue;
    event = replaced(event, path, replacement) as unknown as MappedEvent;
    size -= saved;
  }
  return { event, isReduced: event !== given };
}

const PARTS = ["actor", "target", "context", "metadata"] as const;

/** Bytes of the action and of the parts in canonical form, as the limit counts them. */
function sizeOf(event: MappedEvent): number {
  const parts = PARTS.map((part) => bytesOf(event[part] ?? {}));
  return parts.reduce((sum, bytes) => sum + bytes, Buffer.byteLength(event.action) + "{}".length);
}

const bytesOf = (value: JsonValue): number => Buffer.byteLength(canonicalJson(value));

function valueAt(event: MappedEvent, path: LargePath): JsonValue | undefined {
  let value = event as unknown as JsonValue | undefined;
  for (const name of path) value = (value as JsonObject | undefined)?.[name];
  return value;
}

function replaced(
  object: Readonly<Record<string, unknown>>,
  [name, ...rest]: readonly string[],
  replacement: JsonObject,
): Record<string, unknown> {
  if (name === undefined) return replacement;
  return { ...object, [name]: replaced(object[name] as JsonObject, rest, replacement) };
}

/** The members that are there. */
export function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const there = Object.entries(members).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(there) as JsonObject;
}
