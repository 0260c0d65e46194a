// A piece of a chain that is counted: which of its events match by the filter index, in which bars, and with
// which values; and those whose events had to be read. Called by the counts. No I/O.

import { ANY_KEY } from "../../search/rules/segment.ts";
import { NONE, UNSURE } from "./bars.ts";

/** The events of a segment that have a value, by their distance from its first one. */
export interface Entry {
  readonly key: string;
  readonly places: Uint16Array;
}

/** An event that was read. */
export interface CountedEvent {
  readonly bar: number;
  readonly values: readonly string[];
}

/** How many events of a segment have each value: each has one at most. */
export interface Sums {
  readonly events: number;
  readonly values: readonly (readonly [key: string, count: number])[];
}

export interface Piece {
  /** In place of all else, if every event of the segment is in the one bar. */
  readonly sums?: Sums | undefined;
  /** The bar of each event of a segment, by its distance from the first one; or NONE. */
  readonly bars: Uint16Array;
  readonly entries: readonly Entry[];
  /** Not among those of the segment. */
  readonly events: readonly CountedEvent[];
}

/** Keys of a block that a term of a count is about. */
export interface BlockKeys {
  readonly term: number | null;
  readonly keys: readonly string[] | null;
  /** Places of each key; null: all are of one. */
  readonly counts: readonly number[] | null;
  /** Of the places of all keys of the block, two for each. */
  readonly bytes: number | null;
  readonly places: Buffer | null;
}

/** Undefined if an event has a value that is no key. */
export function sumsOf(rows: readonly BlockKeys[], events: number): Sums | undefined {
  const values = rows.flatMap(({ bytes, counts, keys }) =>
    (keys ?? []).map((key, at) => [key, counts?.[at] ?? (bytes ?? 0) / 2] as const),
  );
  return values.some(([key]) => key === ANY_KEY) ? undefined : { events, values };
}

/** What an event must have, or must not have, a value of. */
export interface Condition {
  readonly isExcluded: boolean;
}

/** What the index has of a segment for the terms of a count. */
export type Found = ReadonlyMap<number, readonly Entry[]>;

/** The keys of each term. `base` is that of the segment, and `size` the events that it has. */
export function entriesOf(rows: readonly BlockKeys[], base: number, size: number): Found {
  const found = new Map<number, Entry[]>();
  for (const { counts, keys, places, term } of rows) {
    if (term === null || !keys || !places) continue;
    const entries = found.get(term) ?? [];
    found.set(term, entries);
    let at = 0;
    for (const [index, key] of keys.entries()) {
      const end = counts ? at + 2 * (counts[index] ?? 0) : places.length;
      entries.push({ key, places: placesIn(places, { at, end, base, size }) });
      at = end;
    }
  }
  return found;
}

interface Slice {
  readonly at: number;
  readonly end: number;
  readonly base: number;
  readonly size: number;
}

/** A place that the segment does not have is left out, as a list does. */
function placesIn(places: Buffer, { at, base, end, size }: Slice): Uint16Array {
  const first = base % 65_536;
  const into = new Uint16Array(Math.max(0, Math.floor((Math.min(end, places.length) - at) / 2)));
  let count = 0;
  for (let byte = at; byte + 1 < Math.min(end, places.length); byte += 2) {
    const place = places.readUInt16BE(byte) - first;
    if (place >= 0 && place < size) {
      into[count] = place;
      count += 1;
    }
  }
  return count === into.length ? into : into.subarray(0, count);
}

/**
 * Takes what the conditions exclude out of the bars of a segment. Each event that only the event itself can
 * decide becomes UNSURE: the `queued` ones, and those under the key of all.
 */
export function applyConditions(
  bars: Uint16Array,
  conditions: readonly Condition[],
  found: Found,
  queued: readonly number[],
): void {
  const kept = queued.filter((place) => bars[place] !== NONE);
  for (const [term, { isExcluded }] of conditions.entries()) {
    const into = isExcluded ? bars : new Uint16Array(bars.length).fill(NONE);
    for (const { key, places } of found.get(term) ?? [])
      // An iterator takes many times as long.
      for (let at = 0; at < places.length; at += 1) {
        const place = places[at] ?? 0;
        const bar = bars[place] ?? NONE;
        if (bar === NONE || (isExcluded && key !== ANY_KEY)) into[place] = NONE;
        else into[place] = key === ANY_KEY ? UNSURE : bar;
      }
    if (!isExcluded) bars.set(into);
  }
  for (const place of kept) bars[place] = UNSURE;
}

/** Makes the events whose values of a field the index does not have UNSURE. */
export function doubtValues(bars: Uint16Array, entries: readonly Entry[]): void {
  for (const { key, places } of entries)
    if (key === ANY_KEY) for (const place of places) unsure(bars, place);
}

export function doubtAll(bars: Uint16Array, from = 0, to = bars.length): void {
  for (let place = from; place < to; place += 1) unsure(bars, place);
}

function unsure(bars: Uint16Array, place: number): void {
  if (bars[place] !== NONE) bars[place] = UNSURE;
}

/** The places, descending, that only the events decide, at most so many. */
export function unsurePlaces(bars: Uint16Array, limit: number): number[] {
  const places: number[] = [];
  for (let place = bars.lastIndexOf(UNSURE); place >= 0 && places.length < limit;) {
    places.push(place);
    place = place === 0 ? -1 : bars.lastIndexOf(UNSURE, place - 1);
  }
  return places;
}
