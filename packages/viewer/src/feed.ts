// Loads what the table shows, one request at a time: the rows in sight first, then older ones, and newer ones
// from time to time. It hands every event to the checker. Made by the element for each set of filters. It
// must never move what the reader looks at: newer rows are announced to the element.

import { type ProvenEvent, RequestError, type WidgetClient } from "./client.ts";
import { EventWindow, type Page, PAGE_EVENTS, type Row } from "./event-window.ts";
import { type Summary, summarize } from "./proof/badge.ts";
import type { Checker } from "./proof/checker.ts";
import type { EventFilter } from "./types.ts";

/** Rows below those in sight that are loaded before they are reached. */
const AHEAD_ROWS = 50;
/** Newer events that are fetched in one go, in pages. */
const NEWER_PAGES = 5;

export interface FeedOptions {
  readonly client: WidgetClient;
  readonly checker: Checker;
  readonly filter: EventFilter;
  readonly signal: AbortSignal;
  readonly onChange: () => void;
  /** So many rows were added above all others. */
  readonly onNewer: (count: number) => void;
}

export class Feed {
  readonly #options: FeedOptions;
  readonly rows = new EventWindow();
  #summary: Summary | undefined;
  error: RequestError | undefined;
  isLoading = false;
  #from = 0;
  #to = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Made once for each rendering, however many checks arrived since. */
  get summary(): Summary {
    return (this.#summary ??= summarize([...this.rows.rows()]));
  }

  /** Loads what is missing between those rows, and older ones where they come near the end. */
  show(from: number, to: number): void {
    this.#from = from;
    this.#to = to;
    if (!this.error && this.#next()) void this.#run(() => this.#loadNext());
  }

  retry(): void {
    const { signal, onChange } = this.#options;
    if (signal.aborted) return;
    this.error = undefined;
    onChange();
    this.show(this.#from, this.#to);
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
    const isNearEnd = rows.hasMore && this.#to + AHEAD_ROWS >= rows.count;
    return rows.missing(this.#from, this.#to) ?? (isNearEnd ? "older" : undefined);
  }

  async #loadNext(): Promise<void> {
    const { rows } = this;
    for (let page = this.#next(); page; page = this.#next()) {
      if (page !== "older") {
        const before_sequence = page.first + 1;
        const { events } = await this.#list({ before_sequence, limit: page.count });
        rows.fill(page, events);
        if (!page.rows) throw new RequestError(0, "");
        this.#check(page.rows);
      } else {
        const { oldest } = rows;
        const { events, hasMore } = await this.#list({
          limit: PAGE_EVENTS,
          ...(oldest !== undefined && { before_sequence: oldest }),
        });
        rows.append(events, hasMore);
        this.#check(rows.slice(rows.count - events.length, rows.count));
      }
      rows.forget(this.#from, this.#to);
      this.#options.onChange();
    }
  }

  async #loadNewer(): Promise<void> {
    for (let page = 0; page < NEWER_PAGES; page += 1) {
      const { events, hasMore } = await this.#list({
        after_sequence: this.rows.newest,
        order: "asc",
        limit: PAGE_EVENTS,
      });
      if (events.length === 0) return;
      this.rows.prepend(events.toReversed());
      this.#check(this.rows.slice(0, events.length));
      this.#options.onNewer(events.length);
      if (!hasMore) return;
    }
  }

  async #list(page: {
    limit: number;
    order?: "asc";
    before_sequence?: number;
    after_sequence?: number;
  }): Promise<{ events: ProvenEvent[]; hasMore: boolean }> {
    const { client, filter, signal } = this.#options;
    const answer = await client.list({ ...filter, ...page });
    signal.throwIfAborted();
    return answer;
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
