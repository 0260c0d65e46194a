// What a reader types into the search bar: the query, what is offered for it, and what is wrong in it. Made
// by the element, which gets the filters of each query that the reader enters.

import { type Filters, parseQuery, partAt, printQuery, type QueryFault } from "@annals/query";
import { withoutTimes } from "./filter.ts";
import type { Suggestion, Suggestions } from "./suggestions.ts";

/** A reader who types on is not offered what was typed before. */
const PAUSE_MS = 120;

export interface QueryBarOptions {
  readonly input: () => HTMLInputElement | null;
  readonly suggestions: Suggestions;
  /** Midnight of a date in the zone that the viewer shows. */
  readonly midnightOf: (date: string) => string;
  readonly onChange: () => void;
  readonly onFilters: (filters: Filters) => void;
}

export class QueryBar {
  readonly #options: QueryBarOptions;
  text = "";
  fault: QueryFault | undefined;
  offered: readonly Suggestion[] = [];
  /** The place of the suggestion that Enter takes; -1 for none. */
  active = -1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(options: QueryBarOptions) {
    this.#options = options;
  }

  /** Writes filters that came from elsewhere. The time has a field of its own. */
  show(filters: Filters): void {
    this.#write(printQuery(withoutTimes(filters)));
  }

  readonly onInput = (): void => {
    this.text = this.#options.input()?.value ?? "";
    this.fault = undefined;
    this.active = -1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#offer(), PAUSE_MS);
    this.#options.onChange();
  };

  readonly onKey = (event: KeyboardEvent): void => {
    const { key } = event;
    const count = this.offered.length;
    if (key === "ArrowDown" || key === "ArrowUp") {
      if (count === 0) void this.#offer();
      else if (key === "ArrowDown") this.active = (this.active + 1) % count;
      else this.active = this.active > 0 ? this.active - 1 : count - 1;
    } else if (key === "Enter" && this.active >= 0) this.take(this.active);
    else if (key === "Escape" && count > 0) this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.#options.onChange();
  };

  /** Puts a suggestion in the place of what is being typed. */
  take(place: number): void {
    const suggestion = this.offered[place];
    const input = this.#options.input();
    if (!suggestion || !input) return;
    const { from, to, filter } = this.#part;
    const isValue = filter !== undefined;
    const rest = this.text.slice(to);
    const insert = suggestion.insert + (isValue && rest === "" ? " " : "");
    this.#write(this.text.slice(0, from) + insert + rest);
    input.value = this.text;
    input.setSelectionRange(from + insert.length, from + insert.length);
    if (!isValue) void this.#offer();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.offered = [];
    this.active = -1;
    this.#options.onChange();
  }

  /** Enters the query. One that is wrong says where, and stays. */
  enter(): void {
    this.close();
    const { filters, fault } = parseQuery(this.text, this.#options.midnightOf);
    this.fault = fault;
    if (!fault) return this.#options.onFilters(filters);
    this.#options.input()?.focus();
    this.#options.input()?.setSelectionRange(fault.from, fault.to);
  }

  get #part() {
    const place = this.#options.input()?.selectionStart ?? this.text.length;
    return partAt(this.text, place);
  }

  #write(text: string): void {
    this.text = text;
    this.fault = undefined;
    this.close();
  }

  async #offer(): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const offered = await this.#options.suggestions.of(this.#part);
    if (asked !== this.#asked) return;
    this.offered = offered;
    this.active = -1;
    this.#options.onChange();
  }
}
