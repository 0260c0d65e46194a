// Counts what the list shows: events over time, those that failed, and the values of some fields. Made by the
// element for each set of filters, and started once the list has its first page. A service without counts, or
// a token that may not count, leaves the list as it is.

import { type Bars, barsOf } from "./bars.ts";
import { type Facet, type Histogram, RequestError, type WidgetClient } from "./client.ts";
import { filtersOf, timesOf } from "./filter.ts";
import type { EventFilter, Zone } from "./types.ts";
import { zoneName } from "./zone.ts";

/** Pages of a histogram: a token has 120 requests a minute. */
const MAX_PAGES = 5;
const MAX_FACET_VALUES = 10;
const MINUTE_MS = 60_000;
/** A week whose clocks are set back. */
const WEEK_MS = (7 * 24 + 1) * 60 * MINUTE_MS;
/** The service has at most 120 bars by default. */
const MAX_DAYS_MS = 120 * 24 * 60 * MINUTE_MS;

/** What the service refused once, and is not asked for again. Outlives the filters. */
export interface Refused {
  all: boolean;
  failures: boolean;
  facets: boolean;
}

export interface CountsOptions {
  readonly client: WidgetClient;
  readonly filter: EventFilter;
  readonly zone: Zone;
  /** The fields whose values are counted. */
  readonly facets: readonly string[];
  readonly refused: Refused;
  /** Whether failures can be counted: asked once the first page is there. */
  readonly hasOutcome: () => boolean;
  readonly signal: AbortSignal;
  readonly onChange: () => void;
}

export class Counts {
  readonly #options: CountsOptions;
  bars: Bars | undefined;
  facets: readonly Facet[] = [];
  #hasStarted = false;

  constructor(options: CountsOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#hasStarted || !isCountable(this.#options.filter)) return;
    this.#hasStarted = true;
    void this.#ask("all", () => this.#countBars());
    if (this.#options.facets.length > 0) void this.#ask("facets", () => this.#countFacets());
  }

  /** What cannot be counted is left out: the list says what is wrong. */
  async #ask(what: keyof Refused, ask: () => Promise<void>): Promise<void> {
    const { refused, signal, onChange } = this.#options;
    if (refused[what]) return;
    try {
      await ask();
      if (!signal.aborted) onChange();
    } catch (error) {
      if (error instanceof RequestError && [403, 404].includes(error.status)) refused[what] = true;
    }
  }

  async #countBars(): Promise<void> {
    const { filter, hasOutcome, zone, onChange } = this.#options;
    let query = { ...filter, time_zone: zoneName(zone) };
    let failures: Histogram | undefined;
    let all: Histogram | undefined;
    const show = () => {
      if (all) this.bars = barsOf(all, failures, { ...timesOf(filter), zone });
      onChange();
    };
    for await (const page of this.#pages(query)) {
      all = page;
      const times = timesOfFewWeeks(page, filter);
      if (times) {
        query = { ...query, ...times };
        all = await this.#options.client.histogram(query);
      }
      show();
    }
    if (!all || all.total === 0 || filtersOf(filter)["outcome"] || !hasOutcome()) return;
    const failed = { ...query, interval: all.interval, outcome: "failure" };
    await this.#ask("failures", async () => {
      for await (const page of this.#pages(failed)) {
        failures = page;
        show();
      }
    });
  }

  /** What is counted so far, from the newest events on. */
  async *#pages(query: object): AsyncGenerator<Histogram> {
    let sum = await this.#options.client.histogram(query);
    yield sum;
    for (let page = 1; page < MAX_PAGES && sum.next_cursor !== null; page += 1) {
      const { interval, next_cursor: cursor } = sum;
      const next = await this.#options.client.histogram({ ...query, interval, cursor });
      sum = { ...next, total: sum.total + next.total, data: [...next.data, ...sum.data] };
      yield sum;
    }
  }

  async #countFacets(): Promise<void> {
    const { client, filter, facets: field } = this.#options;
    this.facets = await client.facets({ ...filter, field, limit: MAX_FACET_VALUES });
  }
}

/**
 * The times of events within a few weeks, for smaller bars. A token with a filter has bars of weeks by
 * default: the service does not say when its first event occurred.
 */
function timesOfFewWeeks(
  { complete, data, interval }: Histogram,
  { occurred_from, occurred_to }: EventFilter,
): EventFilter | undefined {
  const first = Date.parse(data[0]?.time ?? "");
  const end = Date.parse(data.at(-1)?.time ?? "") + WEEK_MS;
  if (occurred_from || !complete || interval !== "1w" || !(end - first <= MAX_DAYS_MS)) return;
  return {
    occurred_from: new Date(first).toISOString(),
    occurred_to: occurred_to ?? new Date(end).toISOString(),
  };
}

/** Counts are of whole minutes. */
function isCountable(filter: EventFilter): boolean {
  return Object.values(timesOf(filter)).every((time) => Date.parse(time) % MINUTE_MS === 0);
}
