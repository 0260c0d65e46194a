// The routes of saved searches, as `annals.searches`. Called by routes.ts.

import type { CreateOptions } from "./create-options.ts";
import { path } from "./pages.ts";
import { type CallOptions, get, post, type Transport } from "./transport.ts";
import type * as T from "./types.ts";

const SEARCHES = "/searches";

export class Searches {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Saves a search that everyone with `events:read` can use. */
  create(search: T.NewSavedSearch, options?: CreateOptions): Promise<T.SavedSearch> {
    const { idempotencyKey } = options ?? {};
    const call = { ...post("create-saved-search", SEARCHES), body: search, idempotencyKey };
    return this.#transport.data(call, options);
  }

  list(options?: CallOptions): Promise<T.SavedSearch[]> {
    return this.#transport.data(get("list-saved-searches", SEARCHES), options);
  }

  update(id: string, change: T.SavedSearchUpdate, options?: CallOptions): Promise<T.SavedSearch> {
    const at = `${SEARCHES}/${path(id)}`;
    const call = { operation: "update-saved-search", method: "PATCH", path: at };
    return this.#transport.data({ ...call, body: change }, options);
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    const at = `${SEARCHES}/${path(id)}`;
    const call = { operation: "delete-saved-search", method: "DELETE", path: at };
    await this.#transport.json(call, options);
  }
}
