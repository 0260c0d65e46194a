// What a reader searches for: the query in the bar, and the range of time next to it. Made by the element,
// which has the filters. It must never change a filter but by telling the element.

import { filterFrom, filtersOf, isSame, timesOf } from "./filter.ts";
import { QueryBar } from "./query-bar.ts";
import type { Range, Times } from "./range.ts";
import type { WidgetClient } from "./client.ts";
import { Suggestions } from "./suggestions.ts";
import type { EventFilter, Zone } from "./types.ts";
import { timeOf } from "./zone.ts";

export interface SearchOptions {
  readonly root: () => ParentNode;
  readonly client: () => WidgetClient | undefined;
  readonly filter: () => EventFilter;
  readonly zone: () => Zone;
  readonly onChange: () => void;
  readonly onApply: (filter: EventFilter) => void;
}

export class Search {
  readonly #options: SearchOptions;
  readonly query: QueryBar;
  range: Range = "";
  /** The times that the range is of. */
  #times: Times = {};

  constructor(options: SearchOptions) {
    this.#options = options;
    this.query = new QueryBar({
      input: () => options.root().querySelector<HTMLInputElement>("#query"),
      suggestions: new Suggestions(options.client),
      midnightOf: (date) => timeOf(`${date}T00:00:00`, options.zone()).toISOString(),
      onChange: options.onChange,
      onFilters: (filters) =>
        options.onApply({ ...timesOf(options.filter()), ...filterFrom(filters) }),
    });
  }

  /** Shows filters, whether they came from the reader, the page or the address. */
  show(filter: EventFilter): void {
    this.query.show(filtersOf(filter));
    const times = timesOf(filter);
    if (!isSame(times, this.#times)) this.range = Object.keys(times).length === 0 ? "" : "given";
    this.#times = times;
  }

  /** To the time of bars, in milliseconds, as far as the list has it. */
  narrow(from: number, to: number): void {
    const { occurred_from, occurred_to } = timesOf(this.#options.filter());
    const start = Math.max(from, Date.parse(occurred_from ?? "") || from);
    const end = Math.min(to, Date.parse(occurred_to ?? "") || to);
    const [first, last] = [start, end].map((time) => new Date(time).toISOString());
    if (first !== undefined && last !== undefined)
      this.setRange("given", { occurred_from: first, occurred_to: last });
  }

  /** Without times only their form is shown. */
  setRange(range: Range, times?: Times): void {
    this.range = range;
    this.#options.onChange();
    if (!times) return;
    this.#times = times;
    const { occurred_from: _from, occurred_to: _to, ...others } = this.#options.filter();
    this.#options.onApply({ ...others, ...times });
  }
}
