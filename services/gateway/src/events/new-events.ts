// The events of a request as they go to the ledger: bytes, with the place of each member. Used by the routes
// that create events. A body that is plain and has no fault becomes such events without being parsed. Any
// other body is read by the strict reader, checked by its schema, and written as the same bytes: only this
// path names faults.

import {
  AUDIT_ACTION_PREFIX,
  canBeReserved,
  isReservedAction,
  parseTimestamp,
  PIECE_BYTES,
  type Work,
} from "@annals/contract";
import { invalid } from "@annals/errors";
import {
  type EventBytes,
  MAX_EVENTS,
  PLACE_OF,
  PLACES_PER_EVENT,
  readEventBytes,
  type ReadLimits,
  sizeOfEvent,
  textOfMember,
  writeEventBytes,
} from "@annals/event";
import type { NewEvent } from "./new-event.ts";

/** Whether the body is one event, or an object with a list of them. */
export type EventForm = "event" | "batch";

/** Events that have passed all checks of the gateway. */
export interface NewEvents extends EventBytes {
  /** Times in UTC with six fraction digits; undefined if the client gave no time. */
  readonly occurredAts: readonly (string | undefined)[];
}

/** An event of so many times the limit is refused before it is written in canonical form. */
const WRITTEN_TIMES = 4;

/** Reads a body. Returns undefined if it is not plain or has a fault: then the strict reader decides. */
export type ReadPlainEvents = (body: Uint8Array, limits: ReadLimits) => Work<NewEvents | undefined>;

export function plainEvents(form: EventForm, maxBytes: number): ReadPlainEvents {
  const maxEvents = form === "event" ? 1 : MAX_EVENTS;
  return function* read(body, limits) {
    const events = yield* readEventBytes(body, form, { ...limits, maxEvents });
    if (events === undefined) return undefined;
    const checked = yield* checkEvents(events, maxBytes);
    return "fault" in checked ? undefined : checked;
  };
}

/**
 * Writes the events of a body that is not plain. `path` gives the prefix of member names in errors: "" or
 * `events[3].`. Throws `invalid` for a reserved action, for an invalid time, and for an event of more than
 * `maxBytes` in canonical form.
 */
export function* writtenEvents(
  given: readonly NewEvent[],
  { maxBytes, path }: { readonly maxBytes: number; readonly path: (index: number) => string },
): Work<NewEvents> {
  const limits = { pieceBytes: PIECE_BYTES, maxBytes: WRITTEN_TIMES * maxBytes };
  const events = yield* writeEventBytes(given, limits);
  const checked = yield* checkEvents(events, maxBytes);
  if (!("fault" in checked) && events.count === given.length) return checked;
  const { fault, index } =
    "fault" in checked ? checked : { fault: farTooLarge(maxBytes), index: events.count };
  const field = fieldOf(fault, path(index), given[index] as NewEvent);
  throw invalid({ field, message: fault.message });
}

interface Fault {
  readonly member: "action" | "occurred_at" | "size";
  readonly message: string;
}

/** Checks what the schema does not. Ends at the first fault, and returns it with the index of its event. */
function* checkEvents(
  events: EventBytes,
  maxBytes: number,
): Work<NewEvents | { readonly fault: Fault; readonly index: number }> {
  const occurredAts: (string | undefined)[] = [];
  let bytes = 0;
  for (let index = 0; index < events.count; index += 1) {
    if (isReserved(events, index)) return { fault: RESERVED, index };
    const given = textOfMember(events, index, "occurred_at");
    const time = given === undefined ? undefined : parseTimestamp(given);
    if (time === undefined && given !== undefined) return { fault: NO_TIME, index };
    occurredAts.push(time);
    const size = sizeOfEvent(events, index);
    if (size > maxBytes) return { fault: tooLarge(size, maxBytes), index };
    bytes += size;
    if (bytes < PIECE_BYTES) continue;
    bytes = 0;
    yield;
  }
  return { ...events, occurredAts };
}

/** Reads the first byte first: it shows that nearly every action is not reserved. */
function isReserved(events: EventBytes, index: number): boolean {
  const at = events.places[index * PLACES_PER_EVENT + PLACE_OF.action] as number;
  if (!canBeReserved(events.bytes[at] as number)) return false;
  return isReservedAction(textOfMember(events, index, "action") ?? "");
}

const RESERVED: Fault = {
  member: "action",
  message: `must not begin with ${AUDIT_ACTION_PREFIX}, in any form: such events belong to the service itself`,
};

const NO_TIME: Fault = {
  member: "occurred_at",
  message: "must be an ISO 8601 date and time with an offset, such as 2026-01-31T09:30:00Z",
};

const tooLarge = (size: number, maxBytes: number): Fault => ({
  member: "size",
  message: `is ${size} bytes in canonical form; at most ${maxBytes} are allowed`,
});

const farTooLarge = (maxBytes: number): Fault => ({
  member: "size",
  message: `is more than ${WRITTEN_TIMES * maxBytes} bytes in canonical form; at most ${maxBytes} are allowed`,
});

/** Name of the member at fault: in a batch, `type` if the client sent that in place of `action`. */
function fieldOf(
  { member }: Fault,
  path: string,
  given: NewEvent & { readonly type?: string },
): string {
  if (member === "size") return path.replace(/\.$/, "") || "body";
  return `${path}${member === "action" && given.type === given.action ? "type" : member}`;
}
