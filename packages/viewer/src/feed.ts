// Loads what the table shows, one request at a time: the rows in sight first, then older ones, and newer ones
// from time to time. It hands every event to the checker. Made by the element for each set of filters. It
// must never move what the reader looks at: newer rows are announced to the element.

import {
  type EventPage,
  type PageQuery,
  type ProvenEvent,
  RequestError,
  type WidgetClient,
} from "./client.ts";
import { EventWindow, type Page, PAGE_EVENTS, type Row } from "./event-window.ts";
import { type Summary, summarize } from "./proof/badge.ts";
import type { Checker } from "./proof/checker.ts";
import type { EventFilter } from "./types.ts";

/** Rows below those in sight that are loaded before they are reached. */
const AHEAD_ROWS = 50;
/** Newer events that are fetched in one go, in pages. */
const NEWER_PAGES = 5;
/** Events that are collected at most, and the pages that are asked for at most to find them. */
const MAX_COLLECTED = 1_000;
const MAX_COLLECTED_PAGES = 20;
/** Empty pages in a row after which a search waits for its reader: a token has 120 requests a minute. */
const EMPTY_PAGES = 20;

export interface FeedOptions {
  readonly client: WidgetClient;
  readonly checker: Checker;
  readonly filter: EventFilter;
  readonly signal: AbortSignal;
  readonly onChange: () => void;
  /** Called when rows were added above all others. */
  readonly onNewer: (events: readonly ProvenEvent[]) => void;
}

export class Feed {
  readonly #options: FeedOptions;
  readonly rows = new EventWindow();
  #summary: Summary | undefined;
  error: RequestError | undefined;
  isLoading = false;
  /** Whether the first page is there. */
  hasPage = false;
  /** When the newest event was that matches at another time; undefined if it was not looked for. */
  newestElsewhere: string | undefined;
  /** Empty pages in a row. */
  #empty = 0;
  #olderCursor: string | undefined;
  #newerCursor: string | undefined;
  #newerAfter = 0;
  #from = 0;
  #to = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Made once for each rendering, however many checks arrived since. */
  get summary(): Summary {
    return (this.#summary ??= summarize([...this.rows.rows()]));
  }

  /** Whether an event shows metadata, which has the outcome. A token can hide it in all of them. */
  get hasMetadata(): boolean {
    return [...this.rows.rows()].some(({ event }) => event.metadata !== undefined);
  }

  /** Loads what is missing between those rows, and older ones when they come near the end. */
  show(from: number, to: number): void {
    this.#from = from;
    this.#to = to;
    if (!this.error && this.#next()) void this.#run(() => this.#loadNext());
  }

  /** Whether nothing was found for long, and more can be searched: the reader decides. */
  get isPaused(): boolean {
    return this.#empty >= EMPTY_PAGES;
  }

  searchOn(): void {
    this.#empty = 0;
    this.show(this.#from, this.#to);
  }

  retry(): void {
    const { signal, onChange } = this.#options;
    if (signal.aborted) return;
    this.error = undefined;
    onChange();
    this.show(this.#from, this.#to);
  }

  /** The newest events that match, at most 1,000; `hasMore` if there may be others. */
  async collect(): Promise<{ readonly events: readonly ProvenEvent[]; readonly hasMore: boolean }> {
    const kept = [...this.rows.rows()].map(({ event }) => event);
    const isWhole = !this.rows.hasMore && kept.length === this.rows.count;
    if (isWhole && kept.length <= MAX_COLLECTED) return { events: kept, hasMore: false };
    const events: ProvenEvent[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_COLLECTED_PAGES && events.length < MAX_COLLECTED; page += 1) {
      const found = await this.#list({ limit: PAGE_EVENTS, cursor });
      events.push(...found.events);
      cursor = found.next;
      if (cursor === undefined) break;
    }
    const hasMore = cursor !== undefined || events.length > MAX_COLLECTED;
    return { events: events.slice(0, MAX_COLLECTED), hasMore };
  }

  /** Looks for newer events, unless something is being loaded. */
  refresh(): void {
    if (!this.error && this.rows.count + Number(!this.rows.hasMore) > 0)
      void this.#run(() => this.#loadNewer());
  }

  async #run(load: () => Promise<void>): Promise<void> {
    const { signal, onChange } = this.#options;
    if (this.isLoading || signal.aborted) return;
    this.isLoading = true;
    try {
      await load();
    } catch (error) {
      if (signal.aborted) return;
      this.error = error instanceof RequestError ? error : new RequestError(0, String(error));
      if (this.error.status === 429)
        setTimeout(() => this.retry(), this.error.retryAfterSeconds * 1000);
    } finally {
      this.isLoading = false;
      if (!signal.aborted) onChange();
    }
  }

  /** What to load: a page whose events were forgotten, or older ones; undefined for nothing. */
  #next(): Page | "older" | undefined {
    const { rows } = this;
    const isNearEnd = rows.hasMore && !this.isPaused && this.#to + AHEAD_ROWS >= rows.count;
    return rows.missing(this.#from, this.#to) ?? (isNearEnd ? "older" : undefined);
  }

  async #loadNext(): Promise<void> {
    const { rows } = this;
    for (let page = this.#next(); page; page = this.#next()) {
      if (page === "older") await this.#loadOlder();
      else await this.#fill(page);
      rows.forget(this.#from, this.#to);
      this.#options.onChange();
    }
  }

  async #loadOlder(): Promise<void> {
    const { rows } = this;
    const { events, next } = await this.#list({ limit: PAGE_EVENTS, cursor: this.#olderCursor });
    this.#olderCursor = next;
    this.#empty = events.length === 0 ? this.#empty + 1 : 0;
    rows.append(events, next !== undefined);
    this.hasPage = true;
    if (rows.count === 0 && next === undefined) await this.#findNewest();
    this.#check(rows.slice(rows.count - events.length, rows.count));
  }

  /** What matches but for the time. A text has no index, and is not looked for in all events. */
  async #findNewest(): Promise<void> {
    const { client, filter, signal } = this.#options;
    const { occurred_from: from, occurred_to: to, ...others } = filter;
    if ((from === undefined && to === undefined) || others.text !== undefined) return;
    const { events } = await client.list({ ...others, limit: 1 });
    signal.throwIfAborted();
    this.newestElsewhere = events[0]?.occurred_at;
  }

  /** Loads the events of a page again, in as many requests as their size takes. */
  async #fill(page: Page): Promise<void> {
    const query = { before_sequence: page.first + 1, limit: page.count };
    const events: ProvenEvent[] = [];
    let cursor: string | undefined;
    do {
      const found = await this.#list({ ...query, cursor });
      events.push(...found.events);
      cursor = found.next;
    } while (cursor !== undefined && events.length < page.count);
    this.rows.fill(page, events.slice(0, page.count));
    if (!page.rows) throw new RequestError(0, "");
    this.#check(page.rows);
  }

  async #loadNewer(): Promise<void> {
    // A cursor belongs to the query that it came from, and may be of the refresh before.
    if (this.#newerCursor === undefined) this.#newerAfter = this.rows.newest;
    const query = {
      after_sequence: this.#newerAfter,
      order: "asc",
      limit: PAGE_EVENTS,
    } as const;
    for (let page = 0; page < NEWER_PAGES; page += 1) {
      const { events, next } = await this.#list({ ...query, cursor: this.#newerCursor });
      this.#newerCursor = next;
      if (events.length > 0) {
        this.rows.prepend(events.toReversed());
        this.#check(this.rows.slice(0, events.length));
        this.#options.onNewer(events);
      }
      if (next === undefined) return;
    }
  }

  async #list(page: Omit<PageQuery, keyof EventFilter>): Promise<EventPage> {
    const { client, filter, signal } = this.#options;
    const response = await client.list({ ...filter, ...page });
    signal.throwIfAborted();
    return response;
  }

  #check(loaded: readonly (Row | undefined)[]): void {
    const { checker, signal, onChange } = this.#options;
    const rows = loaded.filter((row) => row !== undefined);
    this.#summary = undefined;
    void checker.check(
      rows.map(({ event }) => event),
      (checks, from) => {
        for (const [at, check] of checks.entries()) {
          const row = rows[from + at];
          if (row) row.check = check;
        }
        this.#summary = undefined;
        onChange();
      },
      signal,
    );
  }
}
