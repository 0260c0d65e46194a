// An event that is valid by itself, as the threads that check events hand it over: its place in the chain,
// what of it is erased, and what it says of other events if it is a record. Used by check-records.ts and
// evidence/check-events.ts.

import { ERASURE, type JsonObject, type Part, readJson, RETENTION } from "@annals/event";
import type { Place } from "./manifest.ts";
import { READ_LIMITS, type ReadEvent } from "./read-event.ts";

export interface CheckedEvent extends Place {
  /** Absent if all parts are there. */
  readonly erased?: readonly Part[];
  /** For a record of an erasure or of retention whose metadata is there. */
  readonly record?: { readonly action: string; readonly metadata: JsonObject };
}

/** Actions of events that say what is erased from others. */
export const RECORD_ACTIONS: readonly string[] = [ERASURE, RETENTION];

/** The event must have no fault: what the chain has not hashed is not a record. */
export function checkedEvent(event: ReadEvent): CheckedEvent {
  const { action, erased, hash, parts, previousHash, sequenceNumber } = event;
  const isRecord = RECORD_ACTIONS.includes(action) && !erased.has("metadata");
  return {
    sequenceNumber,
    hash,
    previousHash,
    ...(erased.size > 0 && { erased: [...erased] }),
    ...(isRecord && { record: { action, metadata: objectOf(parts.metadata) } }),
  };
}

/** `text` is the canonical text of an object. */
function objectOf(text: string): JsonObject {
  return readJson(Buffer.from(text), READ_LIMITS) as JsonObject;
}
