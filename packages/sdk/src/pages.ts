// A list of the interface: iterate over it, and it asks for one page after the other. Made by routes.ts.

import { type CallOptions, get, type Transport } from "./transport.ts";

/** Sets where a list begins, and how many items are fetched at a time. */
export interface PageOptions extends CallOptions {
  readonly limit?: number;
  /** The `next_cursor` of another page. By default the list begins at its first one. */
  readonly cursor?: string | undefined;
}

export function pageOf({ limit, cursor }: PageOptions = {}) {
  return { limit, cursor };
}

/** One step of a path: an id with a slash in it reaches no other route. */
export function path(id: string): string {
  if (id === "" || id === "." || id === "..") throw new TypeError("an id is missing");
  return encodeURIComponent(id);
}

export interface Page<Item> {
  readonly data: readonly Item[];
  /** Absent in lists that have one page. */
  readonly next_cursor?: string | null;
}

export class Pages<Item, OnePage extends Page<Item> = Page<Item>> implements AsyncIterable<Item> {
  readonly #ask: (cursor: string | undefined) => Promise<OnePage>;

  constructor(ask: (cursor: string | undefined) => Promise<OnePage>) {
    this.#ask = ask;
  }

  /** The first page. */
  async page(): Promise<OnePage> {
    return this.#ask(undefined);
  }

  async *pages(): AsyncGenerator<OnePage, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#ask(cursor);
      yield page;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** All items, at most `limit`. */
  async toArray(limit = Number.POSITIVE_INFINITY): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) {
      if (items.length >= limit) break;
      items.push(item);
    }
    return items;
  }
}

/** A list of a route. */
export function listOf<Item, OnePage extends Page<Item>>(
  transport: Transport,
  [operation, at]: readonly [operation: string, path: string],
  filter: object | undefined,
  options: CallOptions | undefined,
): Pages<Item, OnePage> {
  return new Pages((cursor) => {
    const query = cursor === undefined ? filter : { ...filter, cursor };
    return transport.json({ ...get(operation, at), query }, options);
  });
}
