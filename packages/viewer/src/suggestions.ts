// What a search bar offers for the part of a query that is being typed: names, then values that the log has.
// Made by the query bar. Any other value can be typed.

import { FIXED_NAMES, nameOf, OCCURRED, printValue, type QueryPart } from "@annals/query";
import type { Choices, WidgetClient } from "./client.ts";

export interface Suggestion {
  /** What the reader sees. */
  readonly label: string;
  /** What replaces the part. */
  readonly insert: string;
}

const MAX_SUGGESTIONS = 10;

const CHOICES: Readonly<Record<string, keyof Choices>> = {
  action: "actions",
  actor_type: "actor_types",
  target_type: "target_types",
};

export class Suggestions {
  readonly #client: () => WidgetClient | undefined;
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
    const values = (await this.#valuesOf(filter)).filter(isOffered).slice(0, MAX_SUGGESTIONS);
    return values.map((value) => ({ label: value, insert: printValue(value) }));
  }

  /** Without them every value can still be typed. */
  async #valuesOf(filter: string): Promise<readonly string[]> {
    const name = Object.hasOwn(CHOICES, filter) ? CHOICES[filter] : undefined;
    if (name === undefined) return [];
    this.#choices ??= this.#client()?.choices();
    return (await this.#choices?.catch(() => undefined))?.[name] ?? [];
  }
}
