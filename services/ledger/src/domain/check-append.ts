// Checks one append completely before anything of it is hashed: what is in the chain can never be corrected.
// Called by rpc/append-outcome.ts. It must not rely on what a gateway has checked, nor take over what it can
// derive: the copies for filters come from the parts.

import {
  checkCanonicalObject,
  JsonFault,
  MAX_EVENT_BYTES,
  MAX_EVENT_DEPTH,
  MAX_EVENTS,
  MAX_TEXT_LENGTH,
  type Part,
  PART_MEMBERS,
  PARTS,
} from "@annals/event";
import { inBytes, parseTimestamp, type Work } from "@annals/contract";
import { invalid } from "@annals/errors";
import { type Append, bytesOf, type NewEvent, type Parts } from "./prepare-append.ts";

/** An append as it came, with nothing known of it but the types of its members. */
export interface GivenAppend extends Omit<
  Append,
  "events" | "isUncounted" | "keyId" | "monthlyQuota"
> {
  readonly monthlyQuota?: bigint | undefined;
  readonly events: readonly GivenEvent[];
}

/** An empty part is one that the client left out. */
export interface GivenEvent extends Parts {
  readonly action: string;
  readonly occurredAt: string;
}

const SHA256_BYTES = 32;
const EMPTY = Buffer.from("{}");

/**
 * Throws `invalid`, which names the first member at fault. `keyId` is that of the admission. The events of a
 * large append are checked in pieces.
 */
export function* checkAppend(given: GivenAppend, keyId?: string): Work<Append> {
  const { accountId, receivedAt, idempotencyKey, requestSha256, monthlyQuota, events } = given;
  if (!isText(accountId)) throw notText("account_id", accountId);
  if (!isTime(receivedAt)) throw notTime("received_at", receivedAt);
  if (idempotencyKey !== "") {
    if (!isText(idempotencyKey)) throw notText("idempotency_key", idempotencyKey);
    if (requestSha256.length !== SHA256_BYTES)
      throw invalid({ field: "request_sha256", message: `must be ${SHA256_BYTES} bytes` });
  }
  if (events.length < 1 || events.length > MAX_EVENTS) {
    throw invalid({ field: "events", message: `must hold 1 to ${MAX_EVENTS} events` });
  }
  const checked: NewEvent[] = [];
  yield* inBytes(events, (event, index) => {
    checked.push(checkEvent(event, index));
    return bytesOf(event);
  });
  return {
    accountId,
    receivedAt,
    idempotencyKey,
    requestSha256,
    keyId,
    ...(monthlyQuota !== undefined && { monthlyQuota: Number(monthlyQuota) }),
    events: checked,
  };
}

/** The names of members are made up where one is at fault only: this is on the path of every event. */
function checkEvent(given: GivenEvent, index: number): NewEvent {
  const { action, occurredAt } = given;
  if (!isText(action)) throw notText(`events[${index}].action`, action);
  if (!isTime(occurredAt)) throw notTime(`events[${index}].occurred_at`, occurredAt);
  const event: { -readonly [Member in keyof NewEvent]: NewEvent[Member] } = {
    action,
    occurredAt,
    actor: orEmpty(given.actor),
    context: orEmpty(given.context),
    diff: orEmpty(given.diff),
    metadata: orEmpty(given.metadata),
    target: orEmpty(given.target),
    actorId: undefined,
    actorType: undefined,
    targetId: undefined,
    targetType: undefined,
  };
  let bytes = Buffer.byteLength(action);
  for (const part of PARTS) bytes += event[part].length;
  if (bytes > MAX_EVENT_BYTES) {
    const message = `is ${bytes} bytes; at most ${MAX_EVENT_BYTES} are allowed`;
    throw invalid({ field: `events[${index}]`, message });
  }
  for (const part of PARTS) {
    const texts = checkPart(event[part], part, index);
    if (texts === undefined) continue;
    if (part === "actor") [event.actorId, event.actorType] = [texts.get("id"), texts.get("type")];
    if (part === "target")
      [event.targetId, event.targetType] = [texts.get("id"), texts.get("type")];
  }
  return event;
}

function orEmpty(part: Uint8Array): Uint8Array {
  return part.length === 0 ? EMPTY : part;
}

const TYPES: Readonly<Partial<Record<Part, ReadonlyMap<string, "text" | "object">>>> =
  Object.fromEntries(
    Object.entries(PART_MEMBERS).map(([part, types]) => [part, new Map(Object.entries(types))]),
  );

/** The members of a part that is not free-form, of which the texts are read. */
function checkPart(bytes: Uint8Array, part: Part, index: number): Map<string, string> | undefined {
  if (bytes === EMPTY) return undefined;
  const types = TYPES[part];
  const members = types && new Map<string, string>();
  try {
    checkCanonicalObject(bytes, MAX_EVENT_DEPTH - 1, members);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const message = `is not canonical JSON: ${error.message} (byte ${error.offset})`;
    throw invalid({ field: `events[${index}].${part}`, message });
  }
  if (!types || !members) return undefined;
  for (const [name, json] of members) {
    const type = types.get(name);
    const isObject = json.charCodeAt(0) === OPEN_BRACE;
    if (type === "object" && isObject) continue;
    const text = type === "text" ? textOf(json) : undefined;
    if (text === undefined) {
      const field = `events[${index}].${part}.${name.slice(0, MAX_TEXT_LENGTH)}`;
      if (type === "text") throw notText(field);
      const message = type === "object" ? "must be an object" : "is not a member of the interface";
      throw invalid({ field, message });
    }
    members.set(name, text);
  }
  return members;
}

/** The text that canonical JSON spells; undefined where it is none that a member may be. */
function textOf(json: string): string | undefined {
  if (json.charCodeAt(0) !== QUOTE) return undefined;
  const text = json.includes("\\") ? (JSON.parse(json) as string) : json.slice(1, -1);
  return isText(text) ? text : undefined;
}

/** Whether it is 1 to 255 characters that PostgreSQL and UTF-8 can carry. */
function isText(text: string): boolean {
  const { length } = text;
  // A character outside of the first plane counts once and takes two code units.
  const isShort =
    length <= MAX_TEXT_LENGTH ||
    (length <= 2 * MAX_TEXT_LENGTH && Array.from(text).length <= MAX_TEXT_LENGTH);
  return length > 0 && isShort && !text.includes("\0") && text.isWellFormed();
}

function notText(field: string, text?: string) {
  const message = `must be a text of 1 to ${MAX_TEXT_LENGTH} characters, without U+0000`;
  return invalid({ field, message: text === "" ? "is required" : message });
}

/** Whether it is in the form that is hashed and stored, which has one text for each instant. */
function isTime(text: string): boolean {
  return text.length === TIME_EXAMPLE.length && parseTimestamp(text) === text;
}

function notTime(field: string, text: string) {
  const message = `must be a time in UTC such as ${TIME_EXAMPLE}`;
  return invalid({ field, message: text === "" ? "is required" : message });
}

const TIME_EXAMPLE = "2026-01-31T09:30:00.000000Z";
const OPEN_BRACE = 0x7b;
const QUOTE = 0x22;
