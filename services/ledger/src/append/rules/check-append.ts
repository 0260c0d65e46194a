// Checks an append completely before any of it is hashed, because the chain can never be corrected. Called by
// append-outcome.ts and audit-append.ts. It must not rely on what a gateway has checked, nor accept what
// it can derive: times, and the copies for filters, come from the events.

import {
  bytesOfMember,
  type EventBytes,
  MAX_EVENT_BYTES,
  NO_MEMBERS,
  sizeOfEvent,
  textOfMember,
} from "@annals/event";
import { parseTimestamp, PIECE_BYTES, type Work } from "@annals/contract";
import { invalid } from "@annals/errors";
import { isText, notText } from "./check-text.ts";
import type { Append, NewEvent } from "./prepare-append.ts";
import { readEvents } from "./read-events.ts";

/** An append as received: only the types of its members are known. */
export interface GivenAppend extends Omit<
  Append,
  "events" | "isUncounted" | "keyId" | "monthlyQuota"
> {
  readonly monthlyQuota?: bigint | undefined;
  /** Bytes that have not been checked yet. */
  readonly eventsJson: Uint8Array;
}

const SHA256_BYTES = 32;
const EMPTY = Buffer.from(NO_MEMBERS);

/**
 * Checks an append. Throws `invalid`, which names the first member at fault. `keyId` comes from the
 * admission. The events of a large append are checked in pieces.
 */
export function* checkAppend(given: GivenAppend, keyId?: string): Work<Append> {
  const { accountId, receivedAt, idempotencyKey, requestSha256, monthlyQuota } = given;
  if (!isText(accountId)) throw notText("account_id", accountId);
  if (parseTimestamp(receivedAt) !== receivedAt) throw notTime("received_at", receivedAt);
  if (idempotencyKey !== "") {
    if (!isText(idempotencyKey)) throw notText("idempotency_key", idempotencyKey);
    if (requestSha256.length !== SHA256_BYTES)
      throw invalid({ field: "request_sha256", message: `must be ${SHA256_BYTES} bytes` });
  }
  const events = yield* readEvents(given.eventsJson);
  return {
    accountId,
    receivedAt,
    idempotencyKey,
    requestSha256,
    keyId,
    ...(monthlyQuota !== undefined && { monthlyQuota: Number(monthlyQuota) }),
    events: yield* checkEvents(events, receivedAt),
  };
}

function* checkEvents(events: EventBytes, receivedAt: string): Work<NewEvent[]> {
  const checked: NewEvent[] = [];
  let bytes = 0;
  for (let index = 0; index < events.count; index += 1) {
    checked.push(checkEvent(events, index, receivedAt));
    const size = sizeOfEvent(events, index);
    if (size > MAX_EVENT_BYTES) {
      const message = `is ${size} bytes; at most ${MAX_EVENT_BYTES} are allowed`;
      throw invalid({ field: `events[${index}]`, message });
    }
    bytes += size;
    if (bytes < PIECE_BYTES) continue;
    bytes = 0;
    yield;
  }
  return checked;
}

/** Checks one event. Its parts are slices of the received bytes. */
function checkEvent(events: EventBytes, index: number, receivedAt: string): NewEvent {
  return {
    action: textOfMember(events, index, "action") ?? "",
    occurredAt: occurredAt(events, index) ?? receivedAt,
    actor: bytesOfMember(events, index, "actor") ?? EMPTY,
    context: bytesOfMember(events, index, "context") ?? EMPTY,
    diff: bytesOfMember(events, index, "diff") ?? EMPTY,
    metadata: bytesOfMember(events, index, "metadata") ?? EMPTY,
    target: bytesOfMember(events, index, "target") ?? EMPTY,
    actorId: textOfMember(events, index, "actor_id"),
    actorType: textOfMember(events, index, "actor_type"),
    targetId: textOfMember(events, index, "target_id"),
    targetType: textOfMember(events, index, "target_type"),
  };
}

/** The time in the form that is hashed and stored, which has one text for each instant. */
function occurredAt(events: EventBytes, index: number): string | undefined {
  const given = textOfMember(events, index, "occurred_at");
  const time = given === undefined ? undefined : parseTimestamp(given);
  if (time === undefined && given !== undefined)
    throw invalid({
      field: `events[${index}].occurred_at`,
      message: `must be a time such as ${TIME}`,
    });
  return time;
}

function notTime(field: string, text: string) {
  return invalid({
    field,
    message: text === "" ? "is required" : `must be a time in UTC such as ${TIME}`,
  });
}

const TIME = "2026-01-31T09:30:00.000000Z";
