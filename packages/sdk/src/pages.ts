// A list of the interface: iterate over it, and it asks for one page after the other. Made by annals.ts.

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
