// Reads the events of an append from bytes that have not been checked. Called by check-append.ts. Plain
// events are checked in one pass over the bytes. Any others are read by the strict reader: they must be, to
// the byte, the canonical text of what was read, and have the members of the interface. It must never let a
// byte into the chain that canonical JSON would write differently.

import { PIECE_BYTES, type Work } from "@annals/contract";
import { invalid } from "@annals/errors";
import {
  checkEventBytes,
  type EventBytes,
  JsonFault,
  type JsonObject,
  type JsonValue,
  MAX_BODY_VALUES,
  MAX_EVENT_BYTES,
  MAX_EVENT_DEPTH,
  MAX_EVENTS,
  MAX_TEXT_LENGTH,
  memberAt,
  type Part,
  PART_MEMBERS,
  PARTS,
  readJsonInPieces,
  writeEventBytes,
} from "@annals/event";
import { isText, notText } from "./check-text.ts";

/** One more than the limits of an event, because the events are elements of an array. */
const LIMITS = {
  maxDepth: MAX_EVENT_DEPTH + 1,
  maxValues: MAX_BODY_VALUES + 1,
  maxEvents: MAX_EVENTS,
};

/** Bytes of an event that its limit does not count: the time, and the names of its members. */
const BYTES_BESIDE = 1_024;

/** Reads the events. Throws `invalid`, which names the first member at fault. */
export function* readEvents(bytes: Uint8Array): Work<EventBytes> {
  return (yield* checkEventBytes(bytes, LIMITS)) ?? (yield* readUnusual(bytes));
}

/** Reads and writes in pieces, also one large event. One that is too large is not written. */
function* readUnusual(bytes: Uint8Array): Work<EventBytes> {
  const events = yield* readStrictly(bytes);
  for (const [index, event] of events.entries()) checkEvent(event, nameOf(index));
  const limits = { pieceBytes: PIECE_BYTES, maxBytes: MAX_EVENT_BYTES + BYTES_BESIDE };
  const written = yield* writeEventBytes(events as JsonObject[], limits);
  if (written.count < events.length) throw tooLarge(nameOf(written.count));
  checkSame(written, bytes);
  for (const [index, event] of events.entries()) checkParts(event as JsonObject, nameOf(index));
  return written;
}

/** Throws unless the given text is the canonical text of what was read. */
function checkSame(written: EventBytes, given: Uint8Array): void {
  if (Buffer.compare(written.bytes, given) === 0) return;
  let offset = 0;
  while (written.bytes[offset] === given[offset]) offset += 1;
  const { index, member } = memberAt(written, offset);
  const field = member === undefined ? nameOf(index) : `${nameOf(index)}.${member}`;
  throw notCanonical(field, "it is not in the canonical form of RFC 8785", offset);
}

const nameOf = (index: number): string => `events[${index}]`;

function* readStrictly(bytes: Uint8Array): Work<JsonValue[]> {
  let events: JsonValue;
  try {
    events = yield* readJsonInPieces(bytes, LIMITS, PIECE_BYTES);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const path = MEMBER.exec(error.path)?.[0] ?? "";
    throw notCanonical(`events${path}`, error.message, error.offset);
  }
  if (Array.isArray(events) && events.length >= 1 && events.length <= MAX_EVENTS) return events;
  throw invalid({ field: "events", message: `must contain 1 to ${MAX_EVENTS} events` });
}

function tooLarge(field: string) {
  const message = `is more than ${MAX_EVENT_BYTES} bytes, which is the most that are allowed`;
  return invalid({ field, message });
}

/** Matches the event and its member at the start of a path. */
const MEMBER = /^\[\d+\](?:\.\w+)?/;

function notCanonical(field: string, message: string, offset: number) {
  return invalid({ field, message: `is not canonical JSON: ${message} (byte ${offset})` });
}

/** The members of an event. The parts are objects. */
const EVENT_TYPES: ReadonlyMap<string, "text" | "object" | "any text"> = new Map([
  ["action", "text"],
  // check-append.ts checks whether it is a time.
  ["occurred_at", "any text"],
  ...PARTS.map((part) => [part, "object"] as const),
]);

const PART_TYPES: Readonly<Partial<Record<Part, ReadonlyMap<string, "text" | "object">>>> =
  Object.fromEntries(
    Object.entries(PART_MEMBERS).map(([part, types]) => [part, new Map(Object.entries(types))]),
  );

function checkEvent(event: JsonValue, field: string): void {
  if (!isObject(event)) throw invalid({ field, message: "must be an object" });
  if (event["action"] === undefined) throw notText(`${field}.action`, "");
  checkTypes(event, EVENT_TYPES, field);
}

function checkParts(event: JsonObject, field: string): void {
  for (const part of PARTS) {
    const [value, types] = [event[part], PART_TYPES[part]];
    if (types && value !== undefined) checkTypes(value as JsonObject, types, `${field}.${part}`);
  }
}

function checkTypes(
  object: JsonObject,
  types: ReadonlyMap<string, "text" | "object" | "any text">,
  path: string,
): void {
  for (const [name, value] of Object.entries(object)) {
    const type = types.get(name);
    if (type === "object" ? isObject(value) : typeof value === "string" && type === "any text")
      continue;
    if (type === "text" && typeof value === "string" && isText(value)) continue;
    const field = `${path}.${name.slice(0, MAX_TEXT_LENGTH)}`;
    if (type === "text") throw notText(field, value === "" ? value : undefined);
    const message = type === undefined ? "is not a member of the interface" : MUST_BE[type];
    throw invalid({ field, message });
  }
}

const MUST_BE = { object: "must be an object", "any text": "must be a string" } as const;

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
