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
import { parseTimestamp } from "@annals/contract";
import { invalid } from "@annals/errors";
import type { Append, NewEvent, Parts } from "./prepare-append.ts";

/** An append as it came, with nothing known of it but the types of its members. */
export interface GivenAppend extends Omit<Append, "events" | "keyId" | "monthlyQuota"> {
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

/** Throws `invalid`, which names the first member at fault. `keyId` is that of the admission. */
export function checkAppend(given: GivenAppend, keyId?: string): Append {
  const { accountId, receivedAt, idempotencyKey, requestSha256, monthlyQuota, events } = given;
  checkText(accountId, "account_id");
  checkTime(receivedAt, "received_at");
  if (idempotencyKey !== "") {
    checkText(idempotencyKey, "idempotency_key");
    if (requestSha256.length !== SHA256_BYTES)
      throw invalid({ field: "request_sha256", message: `must be ${SHA256_BYTES} bytes` });
  }
  if (events.length < 1 || events.length > MAX_EVENTS) {
    throw invalid({ field: "events", message: `must hold 1 to ${MAX_EVENTS} events` });
  }
  return {
    accountId,
    receivedAt,
    idempotencyKey,
    requestSha256,
    keyId,
    ...(monthlyQuota !== undefined && { monthlyQuota: Number(monthlyQuota) }),
    events: events.map(checkEvent),
  };
}

function checkEvent(given: GivenEvent, index: number): NewEvent {
  const path = `events[${index}]`;
  const { action, occurredAt } = given;
  checkText(action, `${path}.action`);
  checkTime(occurredAt, `${path}.occurred_at`);
  const event: { -readonly [Member in keyof NewEvent]: NewEvent[Member] } = {
    action,
    occurredAt,
    actor: orEmpty(given.actor),
    context: orEmpty(given.context),
    diff: orEmpty(given.diff),
    metadata: orEmpty(given.metadata),
    target: orEmpty(given.target),
  };
  let bytes = Buffer.byteLength(action);
  for (const part of PARTS) bytes += event[part].length;
  if (bytes > MAX_EVENT_BYTES) {
    throw invalid({
      field: path,
      message: `is ${bytes} bytes; at most ${MAX_EVENT_BYTES} are allowed`,
    });
  }
  const actor = checkPart(event.actor, "actor", path);
  [event.actorId, event.actorType] = [actor?.get("id"), actor?.get("type")];
  checkPart(event.context, "context", path);
  checkPart(event.diff, "diff", path);
  checkPart(event.metadata, "metadata", path);
  const target = checkPart(event.target, "target", path);
  [event.targetId, event.targetType] = [target?.get("id"), target?.get("type")];
  return event;
}

function orEmpty(part: Uint8Array): Uint8Array {
  return part.length === 0 ? EMPTY : part;
}

/** The texts among the members of a part that is not free-form. */
function checkPart(bytes: Uint8Array, part: Part, path: string): Map<string, string> | undefined {
  if (bytes === EMPTY) return undefined;
  const types: Readonly<Record<string, "text" | "object">> | undefined =
    part in PART_MEMBERS ? PART_MEMBERS[part as keyof typeof PART_MEMBERS] : undefined;
  const members = types && new Map<string, string>();
  try {
    checkCanonicalObject(bytes, MAX_EVENT_DEPTH - 1, members);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const message = `is not canonical JSON: ${error.message} (byte ${error.offset})`;
    throw invalid({ field: `${path}.${part}`, message });
  }
  if (!types || !members) return undefined;
  for (const [name, json] of members) {
    const field = `${path}.${part}.${name.slice(0, MAX_TEXT_LENGTH)}`;
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) throw invalid({ field, message: "is not a member of the interface" });
    if (type === "object" && json[0] !== "{")
      throw invalid({ field, message: "must be an object" });
    if (type === "text") {
      if (json[0] !== '"') throw notText(field);
      const text = JSON.parse(json) as string;
      checkText(text, field);
      members.set(name, text);
    }
  }
  return members;
}

/** 1 to 255 characters that PostgreSQL and UTF-8 can carry. */
function checkText(text: string, field: string): void {
  if (text === "") throw invalid({ field, message: "is required" });
  const { length } = text;
  // A character outside of the first plane counts once and takes two code units.
  const isShort =
    length <= MAX_TEXT_LENGTH ||
    (length <= 2 * MAX_TEXT_LENGTH && Array.from(text).length <= MAX_TEXT_LENGTH);
  if (!isShort || text.includes("\0") || !text.isWellFormed()) throw notText(field);
}

function notText(field: string) {
  const message = `must be a text of 1 to ${MAX_TEXT_LENGTH} characters, without U+0000`;
  return invalid({ field, message });
}

/** In the form that is hashed and stored, which has one text for each instant. */
function checkTime(text: string, field: string): void {
  if (text === "") throw invalid({ field, message: "is required" });
  if (text.length !== TIME_LENGTH || parseTimestamp(text) !== text) {
    throw invalid({ field, message: "must be a time in UTC such as 2026-01-31T09:30:00.000000Z" });
  }
}

const TIME_LENGTH = "2026-01-31T09:30:00.000000Z".length;
