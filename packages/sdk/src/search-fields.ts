// The routes of declared fields, as `annals.searchFields`. Called by annals.ts.

import { path } from "./pages.ts";
import { type CallOptions, get, post, type Transport } from "./transport.ts";
import type * as T from "./types.ts";

const FIELDS = "/search/fields";

export class SearchFields {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Declares a field that filters of lists may name. */
  create(field: T.NewSearchField, options?: CallOptions): Promise<T.SearchField> {
    const call = { ...post("create-search-field", FIELDS), body: field };
    return this.#transport.data(call, options);
  }

  list(options?: CallOptions): Promise<T.SearchField[]> {
    return this.#transport.data(get("list-search-fields", FIELDS), options);
  }

  /** The paths of the newest events, the most frequent first. */
  paths(options?: CallOptions): Promise<T.SearchPath[]> {
    return this.#transport.data(get("list-search-paths", "/search/paths"), options);
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    const at = `${FIELDS}/${path(id)}`;
    const call = { operation: "delete-search-field", method: "DELETE", path: at };
    await this.#transport.json(call, options);
  }
}
