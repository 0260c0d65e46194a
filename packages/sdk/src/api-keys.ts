// The routes of API keys in both forms, as `annals.apiKeys` and `annals.keys`. Called by routes.ts and
// annals.ts.

import type { Created, CreateOptions } from "./create-options.ts";
import { listOf, pageOf, type PageOptions, type Pages, path } from "./pages.ts";
import { type CallOptions, post, type Transport } from "./transport.ts";
import type * as T from "./types.ts";

export class ApiKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create<Options extends CreateOptions = CallOptions>(
    key: T.NewApiKey,
    options?: Options,
  ): Promise<Created<T.CreatedApiKey, "key", Options>> {
    const { idempotencyKey } = options ?? {};
    const call = { ...post("create-api-key", "/api-keys"), body: key, idempotencyKey };
    return this.#transport.data(call, options);
  }

  list(options?: PageOptions): Pages<T.ApiKey, T.ApiKeyPage> {
    return listOf(this.#transport, ["list-api-keys", "/api-keys"], pageOf(options), options);
  }

  update(id: string, change: T.ApiKeyUpdate, options?: CallOptions): Promise<T.ApiKey> {
    const call = { operation: "update-api-key", method: "PATCH", path: `/api-keys/${path(id)}` };
    return this.#transport.data({ ...call, body: change }, options);
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    const call = { operation: "delete-api-key", method: "DELETE", path: `/api-keys/${path(id)}` };
    await this.#transport.json(call, options);
  }
}

export class Keys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create<Options extends CreateOptions = CallOptions>(
    key: T.NewApiKey,
    options?: Options,
  ): Promise<Created<T.CreatedKey, "key", Options>> {
    const { idempotencyKey } = options ?? {};
    const call = { ...post("create-key", "/keys"), body: key, idempotencyKey };
    return this.#transport.json(call, options);
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    const call = { operation: "delete-key", method: "DELETE", path: `/keys/${path(id)}` };
    await this.#transport.json(call, options);
  }
}
