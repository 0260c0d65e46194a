// Counts what the list shows: events over time, those that failed, and the values of some fields. Made by the
// element for each set of filters, and started once the list has its first page. Events that the list gets
// later are added to the counts. A service without counts, or a token that may not count, leaves the list as
// it is.

import { type Bars, barsOf, withLater } from "./bars.ts";
import {
  type Facet,
  type Histogram,
  type ProvenEvent,
  RequestError,
  type WidgetClient,
} from "./client.ts";
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
/** How often is counted again what cannot be added. */
const AGAIN_MS = 30_000;
/** Events that are added before they are counted with all others. */
const MAX_ADDED = 1_000;
/** More bars than this make the service choose longer ones. */
const MAX_ADDED_BARS = 122;

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
  /** The number of the newest event of the list; 0 if it has none. Every newer one is added. */
  readonly newest: () => number;
  readonly signal: AbortSignal;
  readonly onChange: () => void;
}

/** What the service has counted. */
interface Counted {
  /** No event above this number is in it. With 0 that is not known. */
  readonly upTo: number;
  readonly all: Histogram;
  readonly failures?: Histogram;
}

interface Added {
  readonly number: number;
  readonly time: number;
  readonly isFailure: boolean;
}

export class Counts {
  readonly #options: CountsOptions;
  bars: Bars | undefined;
  facets: readonly Facet[] = [];
  #hasStarted = false;
  #counted: Counted | undefined;
  #added: readonly Added[] = [];
  /** What has to be counted again. */
  readonly #isStale = { bars: false, facets: false };
  #againAt = -Infinity;
  /** Questions that have no answer yet. */
  #open = 0;

  constructor(options: CountsOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#hasStarted || !isCountable(this.#options.filter)) return;
    this.#hasStarted = true;
    void this.#ask("all", () => this.#countBars());
    if (this.#options.facets.length > 0) void this.#ask("facets", () => this.#countFacets());
  }

  /** Adds newer events of the list, which match its filters. */
  add(events: readonly ProvenEvent[]): void {
    if (!this.#hasStarted) return;
    this.#added = [...this.#added, ...events.map(addedOf)];
    this.#isStale.facets = this.#options.facets.length > 0;
    this.#show();
    this.follow();
  }

  /** Counts again what could not be added: at once, but at most every 30 seconds. */
  follow(): void {
    const { bars, facets } = this.#isStale;
    const isDue = this.#open === 0 && Date.now() - this.#againAt >= AGAIN_MS;
    if (!isDue || !(bars || facets)) return;
    this.#againAt = Date.now();
    if (bars) void this.#ask("all", () => this.#countBars());
    if (facets) void this.#ask("facets", () => this.#countFacets());
  }

  /** What cannot be counted is left out: the list says what is wrong. */
  async #ask(what: keyof Refused, ask: () => Promise<void>): Promise<void> {
    const { refused, signal, onChange } = this.#options;
    if (refused[what]) return;
    this.#open += 1;
    try {
      await ask();
      if (!signal.aborted) onChange();
    } catch (error) {
      if (error instanceof RequestError && [403, 404].includes(error.status)) refused[what] = true;
    } finally {
      this.#open -= 1;
    }
  }

  /** The first counts are shown as they come, later ones once they are whole. */
  async #countBars(): Promise<void> {
    const { client, filter, newest, zone } = this.#options;
    const isFirst = !this.#counted;
    const upTo = newest();
    const bound = upTo > 0 ? { before_sequence: upTo + 1 } : {};
    let query = { ...filter, ...bound, time_zone: zoneName(zone) };
    let counted: Counted | undefined;
    for await (const page of this.#pages(query)) {
      const times = timesOfFewWeeks(page, filter);
      if (times) query = { ...query, ...times };
      counted = { upTo, all: times ? await client.histogram(query) : page };
      if (isFirst) this.#keep(counted);
    }
    if (!counted) return;
    const { all } = counted;
    if (all.total > 0 && this.#canCountFailures())
      await this.#ask("failures", async () => {
        const failed = { ...query, interval: all.interval, outcome: "failure" };
        for await (const failures of this.#pages(failed)) {
          counted = { upTo, all, failures };
          if (isFirst) this.#keep(counted);
        }
      });
    this.#keep(counted);
  }

  #canCountFailures(): boolean {
    const { filter, hasOutcome, refused } = this.#options;
    return !refused.failures && !filtersOf(filter)["outcome"] && hasOutcome();
  }

  #keep(counted: Counted): void {
    this.#counted = counted;
    this.#added = this.#added.filter(({ number }) => number > counted.upTo);
    this.#show();
  }

  /** Shows what was counted, and what was added since. */
  #show(): void {
    if (!this.#counted) return;
    const { filter, zone, onChange } = this.#options;
    const { all, failures, upTo } = this.#counted;
    const limits = { ...timesOf(filter), zone };
    const counted = barsOf(all, failures, limits);
    const [added, failed] = [this.#added, this.#added.filter(({ isFailure }) => isFailure)];
    const edge = all.data[0] && Date.parse(all.data[0].time);
    const later = (some: readonly Added[]) => ({ times: some.map(({ time }) => time), edge, zone });
    const sum = withLater(all, later(added));
    const isFull = added.length > MAX_ADDED || (upTo === 0 && added.length > 0);
    if (isFull || !sum) {
      // What occurred at another time has no bar before it is counted.
      this.bars = { ...counted, total: counted.total + (upTo === 0 ? 0 : added.length) };
      this.#isStale.bars = true;
    } else {
      this.bars = barsOf(sum, failures && withLater(failures, later(failed)), limits);
      const most = Math.max(MAX_ADDED_BARS, counted.bars.length);
      const isUncounted = added.length > 0 && !failures && this.#canCountFailures();
      this.#isStale.bars = isUncounted || this.bars.bars.length > most;
    }
    onChange();
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
    this.#isStale.facets = false;
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

function addedOf({ metadata, occurred_at: time, sequence_number: number }: ProvenEvent): Added {
  // A list of outcomes has each of them.
  const isFailure = [metadata?.["outcome"]].flat().includes("failure");
  return { number, time: Date.parse(time), isFailure };
}

/** Counts are of whole minutes. */
function isCountable(filter: EventFilter): boolean {
  return Object.values(timesOf(filter)).every((time) => Date.parse(time) % MINUTE_MS === 0);
}
