// The rows of the table: every page that was loaded, in order, of which only the newest used keep their
// events. So a reader may scroll through any number of rows in bounded memory. Used by the element. It never
// asks for anything: it says what is missing.

import type { EventCheck, LinkState } from "@annals/proof";
import type { ProvenEvent } from "./client.ts";

export const PAGE_EVENTS = 100;
/** Pages that keep their events. */
const KEPT_PAGES = 20;

export interface Row {
  readonly event: ProvenEvent;
  /** Undefined until it is checked. */
  check?: EventCheck;
  link?: LinkState;
}

/** Consecutive rows. An event never changes, so its numbers suffice to load it again. */
export interface Page {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  rows: Row[] | undefined;
}

export class EventWindow {
  /** Newest first. */
  #pages: Page[] = [];
  hasMore = true;
  count = 0;

  get newest(): number {
    return this.#pages[0]?.first ?? 0;
  }

  get oldest(): number | undefined {
    return this.#pages.at(-1)?.last;
  }

  /** Those that are kept, in order. */
  *rows(): Generator<Row> {
    for (const { rows } of this.#pages) if (rows) yield* rows;
  }

  /** The rows from `from` to `to`, exclusive; undefined if a page does not keep them. */
  slice(from: number, to: number): (Row | undefined)[] {
    const found: (Row | undefined)[] = [];
    for (const { page, start } of this.#between(from, to)) {
      const end = Math.min(to, start + page.count);
      for (let at = Math.max(from, start); at < end; at += 1) found.push(page.rows?.[at - start]);
    }
    return found;
  }

  /** The place of an event, if its page keeps it. */
  placeOf(id: string): number | undefined {
    let start = 0;
    for (const { count, rows } of this.#pages) {
      const at = rows?.findIndex(({ event }) => event.id === id) ?? -1;
      if (at >= 0) return start + at;
      start += count;
    }
    return undefined;
  }

  /** A page between those rows that has to be loaded again. */
  missing(from: number, to: number): Page | undefined {
    return [...this.#between(from, to)].find(({ page }) => page.rows === undefined)?.page;
  }

  /** Older events, newest first. */
  append(events: readonly ProvenEvent[], hasMore: boolean): void {
    this.hasMore = hasMore;
    this.#add(events, (page) => this.#pages.push(page));
  }

  /** Newer events, newest first. Small pages at the head grow, so that their number stays small. */
  prepend(events: readonly ProvenEvent[]): void {
    this.#add(events, (page) => {
      const [head] = this.#pages;
      const isFull = !head?.rows || head.count + page.count > PAGE_EVENTS;
      if (isFull) this.#pages.unshift(page);
      else {
        const rows = [...(page.rows ?? []), ...(head.rows ?? [])];
        this.#pages[0] = { first: page.first, last: head.last, count: rows.length, rows };
      }
    });
  }

  /** Events of a page that did not keep them. */
  fill(page: Page, events: readonly ProvenEvent[]): void {
    if (events.length === page.count) page.rows = events.map((event) => ({ event }));
  }

  /** Forgets the events of the pages furthest from those rows. */
  forget(from: number, to: number): void {
    const kept = this.#pages.filter(({ rows }) => rows !== undefined);
    if (kept.length <= KEPT_PAGES) return;
    const near = new Set([...this.#between(from, to)].map(({ page }) => page));
    const center = this.#pages.findIndex((page) => near.has(page));
    const distance = (page: Page) => Math.abs(this.#pages.indexOf(page) - center);
    kept.sort((a, b) => distance(a) - distance(b));
    for (const page of kept.slice(KEPT_PAGES)) if (!near.has(page)) page.rows = undefined;
  }

  #add(events: readonly ProvenEvent[], place: (page: Page) => unknown): void {
    const first = events[0];
    const last = events.at(-1);
    if (!first || !last) return;
    this.count += events.length;
    place({
      first: first.sequence_number,
      last: last.sequence_number,
      count: events.length,
      rows: events.map((event) => ({ event })),
    });
  }

  *#between(from: number, to: number): Generator<{ page: Page; start: number }> {
    let start = 0;
    for (const page of this.#pages) {
      if (start >= to) return;
      if (start + page.count > from) yield { page, start };
      start += page.count;
    }
  }
}
