// What a search bar offers for the part of a query that is being typed: names, then the most frequent values,
// or those of the newest events. Made by the query bar. Any other value can be typed.

import {
  FIXED_NAMES,
  isUnordered,
  nameOf,
  OCCURRED,
  printValue,
  type QueryPart,
} from "@annals/query";
import { type Choices, RequestError, type WidgetClient } from "./client.ts";

export interface Suggestion {
  /** What the reader sees. */
  readonly label: string;
  /** What replaces the part. */
  readonly insert: string;
}

const MAX_SUGGESTIONS = 10;
/** The most values that the service lists. */
const MAX_VALUES = 50;

const CHOICES: Readonly<Record<string, keyof Choices>> = {
  action: "actions",
  actor_type: "actor_types",
  target_type: "target_types",
};

export class Suggestions {
  readonly #client: () => WidgetClient | undefined;
  /** Whether values were refused once. */
  #isUncounted = false;
  #choices: Promise<Choices | undefined> | undefined;

  constructor(client: () => WidgetClient | undefined) {
    this.#client = client;
  }

  async of({ filter, text }: QueryPart): Promise<readonly Suggestion[]> {
    const isOffered = (one: string) => one.startsWith(text) && one !== text;
    if (filter === undefined) {
      const names = [...FIXED_NAMES, OCCURRED].map(nameOf).filter(isOffered);
      return names.map((name) => ({ label: `${name}:`, insert: `${name}:` }));
    }
    const values = (await this.#valuesOf(filter, text)).filter(isOffered).slice(0, MAX_SUGGESTIONS);
    return values.map((value) => ({ label: value, insert: printValue(value) }));
  }

  /** Without them every value can still be typed. A time is not one of several values. */
  async #valuesOf(filter: string, prefix: string): Promise<readonly string[]> {
    if (filter === OCCURRED) return [];
    return (await this.#counted(filter, prefix)) ?? (await this.#newest(filter));
  }

  /** The most frequent values; undefined if the service does not count them. */
  async #counted(field: string, prefix: string): Promise<readonly string[] | undefined> {
    if (this.#isUncounted) return undefined;
    const query =
      prefix === "" || isUnordered(field, prefix)
        ? { field, limit: MAX_VALUES }
        : { field, limit: MAX_SUGGESTIONS, prefix };
    try {
      const [facet] = (await this.#client()?.facets(query)) ?? [];
      return facet?.values.map(({ value }) => value);
    } catch (error) {
      this.#isUncounted = error instanceof RequestError && [403, 404].includes(error.status);
      return undefined;
    }
  }

  async #newest(filter: string): Promise<readonly string[]> {
    const name = Object.hasOwn(CHOICES, filter) ? CHOICES[filter] : undefined;
    if (name === undefined) return [];
    this.#choices ??= this.#client()?.choices();
    return (await this.#choices?.catch(() => undefined))?.[name] ?? [];
  }
}
