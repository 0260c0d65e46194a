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
    const query = { ...filter, time_zone: zoneName(zone) };
    let failures: Histogram | undefined;
    let all: Histogram | undefined;
    const show = () => {
      if (all) this.bars = barsOf(all, failures, { ...timesOf(filter), zone });
      onChange();
    };
    for await (const page of this.#pages(query)) {
      all = page;
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

/** Counts are of whole minutes. */
function isCountable(filter: EventFilter): boolean {
  return Object.values(timesOf(filter)).every((time) => Date.parse(time) % MINUTE_MS === 0);
}
