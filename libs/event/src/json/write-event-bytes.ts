// Events that the strict reader has read, written as bytes with places: what event-bytes.ts makes of a plain
// text, made of any other. Called by the gateway for a body, and by the ledger for an append, that are not
// plain. It must make, of the same events, the same bytes and places.

import { canonicalJson, quote } from "./canonical-json.ts";
import { canonicalPieces } from "./canonical-pieces.ts";
import { type EventBytes, PLACED, PLACES_PER_EVENT } from "./event-bytes.ts";
import { PLACE_OF } from "./event-places.ts";
import type { JsonObject } from "./json-value.ts";
import { leastBytes } from "./least-bytes.ts";

/** The members of an event in canonical order. */
const MEMBERS = [
  "action",
  "actor",
  "context",
  "diff",
  "metadata",
  "occurred_at",
  "target",
] as const;

const COMMA_BYTES = 1;
const BRACE_BYTES = 1;

/** What bounds the work on large events, in bytes. */
interface WriteLimits {
  /** It yields after so many, also within an event. */
  readonly pieceBytes: number;
  /** It ends before the first event that certainly has more in canonical form, time and names included. */
  readonly maxBytes: number;
}

/**
 * Writes the members of events that an event of the interface has, and no others; the `count` of what is
 * written is lower if it has ended before a large one. `action` and `occurred_at` must be strings, the parts
 * objects; an id or a type that is not a string has no place.
 */
export function* writeEventBytes(
  events: readonly JsonObject[],
  { maxBytes, pieceBytes }: WriteLimits,
): Generator<void, EventBytes> {
  const places = new Int32Array(events.length * PLACES_PER_EVENT);
  const chunks: Buffer[] = [Buffer.from("[")];
  let count = 0;
  let at = 1;
  let yieldedAt = 0;
  for (const event of events) {
    const least = leastBytes(event, maxBytes);
    if (least > maxBytes) break;
    if (count > 0) at += COMMA_BYTES;
    const texts = least > pieceBytes ? yield* textsOf(event, pieceBytes) : undefined;
    const first = count * PLACES_PER_EVENT;
    const text = writeEvent(event, { start: at, places, first }, texts);
    chunks.push(Buffer.from(count > 0 ? `,${text}` : text));
    count += 1;
    at = places[first + 1] as number;
    if (at - yieldedAt < pieceBytes) continue;
    yieldedAt = at;
    yield;
  }
  chunks.push(Buffer.from("]"));
  const written = places.subarray(0, count * PLACES_PER_EVENT);
  return { bytes: Buffer.concat(chunks), count, places: written };
}

type Texts = ReadonlyMap<string, string>;

/** The canonical text of each member of a large event, made in pieces. */
function* textsOf(event: JsonObject, pieceBytes: number): Generator<void, Texts> {
  const texts = new Map<string, string>();
  for (const member of MEMBERS) {
    const value = event[member];
    if (value === undefined) continue;
    let text = "";
    for (const piece of canonicalPieces(value, pieceBytes)) {
      text += piece;
      yield;
    }
    texts.set(member, text);
  }
  return texts;
}

/**
 * The canonical text of an event that begins at the byte `start`; its places are noted from `first` on.
 * `texts` are those of its members if they are written already.
 */
function writeEvent(
  event: JsonObject,
  {
    first,
    places,
    start,
  }: { readonly first: number; readonly places: Int32Array; readonly start: number },
  texts?: Texts,
): string {
  let text = "{";
  let at = start + BRACE_BYTES;
  for (const member of MEMBERS) {
    const value = event[member];
    if (value === undefined) continue;
    const name = `${text === "{" ? "" : ","}"${member}":`;
    const json = texts?.get(member) ?? canonicalJson(value);
    const from = at + name.length;
    at = from + Buffer.byteLength(json);
    text += name + json;
    const isText = member === "action" || member === "occurred_at";
    note(places, first + PLACE_OF[member], isText ? [from + 1, at - 1] : [from, at]);
    if (member === "actor" || member === "target")
      noteCopies(value as JsonObject, { member, from, to: at }, places, first);
  }
  places[first] = start;
  places[first + 1] = at + BRACE_BYTES;
  return `${text}}`;
}

/** In canonical order the id is the first member of actor and target, and the type is the last one. */
function noteCopies(
  { id, type }: JsonObject,
  {
    member,
    from,
    to,
  }: { readonly member: "actor" | "target"; readonly from: number; readonly to: number },
  places: Int32Array,
  first: number,
): void {
  if (typeof id === "string") {
    const start = from + '{"id":"'.length;
    note(places, first + PLACE_OF[`${member}_id`], [start, start + lengthOf(id)]);
  }
  if (typeof type === "string") {
    const end = to - '"}'.length;
    note(places, first + PLACE_OF[`${member}_type`], [end - lengthOf(type), end]);
  }
}

/** Bytes of a text between its quotes. */
function lengthOf(text: string): number {
  return Buffer.byteLength(quote(text)) - '""'.length;
}

function note(places: Int32Array, at: number, [start, end]: readonly [number, number]): void {
  places[at] = start;
  places[at + 1] = end;
}

/** The member of the first byte that differs from the events' own, or undefined: of the event itself. */
export function memberAt(
  { count, places }: EventBytes,
  offset: number,
): { readonly index: number; readonly member: string | undefined } {
  let index = 0;
  while (index + 1 < count && (places[(index + 1) * PLACES_PER_EVENT] as number) <= offset)
    index += 1;
  const at = index * PLACES_PER_EVENT;
  const member = PLACED.find((each) => {
    const place = at + PLACE_OF[each];
    return (places[place] as number) <= offset && offset < (places[place + 1] as number);
  });
  return { index, member };
}
