// What a count has counted: events of each bar, and of each value in each bar. An event with two values
// counts once for each. Called by the counts. No I/O.

import { MAX_KEY_BYTES } from "../../search/rules/segment.ts";
import { UNSURE } from "./bars.ts";
import type { Entry, Piece, Sums } from "./piece.ts";

/** Events with the same several values in the same bar: they are counted once for each. */
interface Several {
  readonly bar: number;
  readonly ids: readonly number[];
  count: number;
}

export class Tally {
  readonly #bars: Float64Array;
  readonly #ids = new Map<string, number>();
  /** Events in all bars, by the id of the value. */
  readonly #totals: number[] = [];
  /** Events of each bar, by the id of the value. Undefined: there is one bar. */
  readonly #counts: Map<number, number>[] | undefined;
  readonly #several = new Map<string, Several>();

  constructor(bars: number) {
    this.#bars = new Float64Array(bars);
    this.#counts = bars > 1 ? [] : undefined;
  }

  get total(): number {
    return this.#bars.reduce((sum, one) => sum + one, 0);
  }

  get distinct(): number {
    return this.#ids.size;
  }

  /** Events that have no value. */
  get missing(): number {
    const several = [...this.#several.values()].reduce(
      (sum, one) => sum + repeats(one, () => true),
      0,
    );
    return this.total - (this.valued - several);
  }

  add({ bars, entries, events, sums }: Piece): void {
    if (sums) this.#addSums(sums);
    // An iterator takes many times as long.
    for (let place = 0; place < bars.length; place += 1) {
      const bar = bars[place] ?? UNSURE;
      if (bar < UNSURE) this.#count(bar);
    }
    const seen = new Uint8Array(bars.length);
    let isSeveral = false;
    for (const entry of entries) isSeveral = this.#addEntry(bars, entry, seen) || isSeveral;
    if (isSeveral) this.#addSeveral(bars, entries, seen);
    for (const { bar, values } of events) {
      this.#count(bar);
      const ids = values.map((value) => this.#idOf(value));
      for (const id of ids) this.#countValue(id, bar, 1);
      if (ids.length > 1) this.#countSeveral(bar, ids);
    }
  }

  #addSums({ events, values }: Sums): void {
    this.#bars[0] = (this.#bars[0] ?? 0) + events;
    for (const [key, count] of values) this.#countValue(this.#idOf(key), 0, count);
  }

  /** Returns whether an event has had another value. */
  #addEntry(bars: Uint16Array, { key, places }: Entry, seen: Uint8Array): boolean {
    let isSeveral = false;
    let id: number | undefined;
    // Events that follow each other are mostly in one bar.
    let [current, count] = [UNSURE, 0];
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at] ?? 0;
      const bar = bars[place] ?? UNSURE;
      if (bar >= UNSURE) continue;
      id ??= this.#idOf(key);
      if (bar !== current) {
        this.#countValue(id, current, count);
        [current, count] = [bar, 0];
      }
      count += 1;
      isSeveral ||= seen[place] === 1;
      seen[place] = 1 + (seen[place] ?? 0);
    }
    if (id !== undefined) this.#countValue(id, current, count);
    return isSeveral;
  }

  /** Each value with its events, the most frequent first; none that is too long for a key of the index. */
  values(): { readonly value: string; readonly count: number }[] {
    return [...this.#ids]
      .filter(([value]) => Buffer.byteLength(value) <= MAX_KEY_BYTES)
      .map(([value, id]) => ({ value, count: this.#totals[id] ?? 0 }))
      .toSorted((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
  }

  /** Events of each value, of all values. */
  get valued(): number {
    return this.#totals.reduce((sum, events) => sum + events, 0);
  }

  /** Events of a bar that have a value. */
  of(value: string, bar: number): number {
    const id = this.#ids.get(value) ?? -1;
    return (this.#counts ? this.#counts[id]?.get(bar) : this.#totals[id]) ?? 0;
  }

  /** Events of each bar that have none of the values. */
  rest(values: readonly string[]): Float64Array {
    const left = this.#bars.slice();
    const named = new Set(values.map((value) => this.#ids.get(value)));
    const take = (bar: number, count: number) => {
      left[bar] = (left[bar] ?? 0) - count;
    };
    for (const id of named) {
      if (!this.#counts) take(0, this.#totals[id ?? -1] ?? 0);
      for (const [bar, count] of this.#counts?.[id ?? -1] ?? []) take(bar, count);
    }
    for (const one of this.#several.values()) take(one.bar, -repeats(one, (id) => named.has(id)));
    return left;
  }

  #count(bar: number): void {
    this.#bars[bar] = (this.#bars[bar] ?? 0) + 1;
  }

  #idOf(value: string): number {
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    this.#ids.set(value, this.#totals.length);
    this.#counts?.push(new Map());
    return this.#totals.push(0) - 1;
  }

  #countValue(id: number, bar: number, events: number): void {
    if (events === 0) return;
    this.#totals[id] = events + (this.#totals[id] ?? 0);
    const counts = this.#counts?.[id];
    counts?.set(bar, events + (counts.get(bar) ?? 0));
  }

  #addSeveral(bars: Uint16Array, entries: readonly Entry[], seen: Uint8Array): void {
    const ids = new Map<number, number[]>();
    for (const { key, places } of entries)
      for (const place of places)
        if ((seen[place] ?? 0) > 1) {
          const own = ids.get(place) ?? [];
          if (own.push(this.#idOf(key)) === 1) ids.set(place, own);
        }
    for (const [place, own] of ids) this.#countSeveral(bars[place] ?? 0, own);
  }

  #countSeveral(bar: number, ids: readonly number[]): void {
    const key = `${bar} ${ids.toSorted((one, other) => one - other).join(" ")}`;
    const one = this.#several.get(key) ?? { bar, ids, count: 0 };
    one.count += 1;
    this.#several.set(key, one);
  }
}

/** How often events with several values were counted too often for those that are named. */
function repeats({ count, ids }: Several, isNamed: (id: number) => boolean): number {
  return count * Math.max(0, ids.filter(isNamed).length - 1);
}
