// Members of events that lie in bytes, read by their places. Called by the gateway and the ledger for each
// event of an append. It must never read a byte outside the place that it is asked for.

import { BACKSLASH } from "./character-codes.ts";
import { type EventBytes, PLACED, PLACES_PER_EVENT } from "./event-bytes.ts";

/** A member whose place is kept. */
export type Placed = (typeof PLACED)[number];

/** The index of each member among the places of an event: of its start; its end follows. */
export const PLACE_OF = Object.fromEntries(
  PLACED.map((member, index) => [member, 2 + 2 * index]),
) as Readonly<Record<Placed, number>>;

/** Whether a value is events as bytes. No JSON value is: none holds a Uint8Array. */
export function isEventBytes(value: unknown): value is EventBytes {
  return typeof value === "object" && (value as EventBytes | null)?.bytes instanceof Uint8Array;
}

/** The bytes of a member: a part, or what is between the quotes of a text. Undefined if it is absent. */
export function bytesOfMember(
  { bytes, places }: EventBytes,
  index: number,
  member: Placed,
): Uint8Array | undefined {
  const place = index * PLACES_PER_EVENT + PLACE_OF[member];
  const start = places[place] as number;
  return start === 0 ? undefined : bytes.subarray(start, places[place + 1]);
}

/** A text as the client meant it, without escapes. Undefined if it is absent. */
export function textOfMember(
  { bytes, places }: EventBytes,
  index: number,
  member: Exclude<Placed, "actor" | "context" | "diff" | "metadata" | "target">,
): string | undefined {
  const place = index * PLACES_PER_EVENT + PLACE_OF[member];
  const start = places[place] as number;
  if (start === 0) return undefined;
  const text = asBuffer(bytes).toString("utf8", start, places[place + 1]);
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}

/** Bytes of an event's action and of its five parts, where `{}` stands for a part that is left out. */
export function sizeOfEvent(events: EventBytes, index: number): number {
  const { bytes, places } = events;
  const at = index * PLACES_PER_EVENT;
  const action = at + PLACE_OF.action;
  let size = (places[action + 1] as number) - (places[action] as number);
  // An escape is longer than what it stands for.
  for (let each = places[action] as number; each < (places[action + 1] as number); each += 1) {
    if (bytes[each] !== BACKSLASH) continue;
    size = Buffer.byteLength(textOfMember(events, index, "action") ?? "");
    break;
  }
  for (let place = at + PLACE_OF.actor; place <= at + PLACE_OF.target; place += 2) {
    const start = places[place] as number;
    size += start === 0 ? NO_MEMBERS.length : (places[place + 1] as number) - start;
  }
  return size;
}

/** The canonical text of a part that is left out. */
export const NO_MEMBERS = "{}";

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
