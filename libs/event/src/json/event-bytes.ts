// The one pass over an event's bytes: what a client sent becomes the canonical bytes that are hashed, stored
// and served, and the places of the members in them, without a value or a text in between. The gateway reads
// bodies with it, and the ledger checks with it what the gateway sends. It takes plain JSON only
// (plain-scanner.ts), and is undefined for everything else: it may be too strict, and must never accept what
// `readJson` refuses nor write other bytes than `canonicalJson`. event-bytes.test.ts compares them.

import { isUtf8 } from "node:buffer";
import { type EventBytes, type EventBytesLimits, EventReader } from "./event-reader.ts";

export type { EventBytes, EventBytesLimits } from "./event-reader.ts";
export { PLACED, PLACES_PER_EVENT } from "./event-shape.ts";

/**
 * The body of POST /v1/events (form "event": one object) or of POST /v1/events/batch (form "batch":
 * `{"events":[…]}`). Undefined for whatever is not plain. Yields between the events of a large body.
 */
export function* readEventBytes(
  body: Uint8Array,
  form: "event" | "batch",
  limits: EventBytesLimits,
): Generator<void, EventBytes | undefined> {
  if (!isUtf8(body)) return undefined;
  const reader = new EventReader(body, limits, false);
  return form === "event" ? reader.readEvent() : yield* reader.readBatch();
}

/** The array that `readEventBytes` makes, checked: undefined unless every byte is canonical and plain. */
export function* checkEventBytes(
  bytes: Uint8Array,
  limits: EventBytesLimits,
): Generator<void, EventBytes | undefined> {
  if (!isUtf8(bytes)) return undefined;
  return yield* new EventReader(bytes, limits, true).checkArray();
}
