// The routes of archives, as `annals.archives`. Called by routes.ts.

import { listOf, pageOf, type PageOptions, type Pages, path } from "./pages.ts";
import { type CallOptions, get, type Transport } from "./transport.ts";
import type * as T from "./types.ts";

export class Archives {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options?: PageOptions): Pages<T.Archive, T.ArchivePage> {
    return listOf(this.#transport, ["list-archives", "/archives"], pageOf(options), options);
  }

  /** The response with the compressed events, to be read as a stream. */
  events(id: string, options?: CallOptions): Promise<Response> {
    const call = get("get-archive-events", `/archives/${path(id)}/events`);
    return this.#transport.response(call, options);
  }

  /** The response with what proves them. */
  evidence(id: string, options?: CallOptions): Promise<Response> {
    const call = get("get-archive-evidence", `/archives/${path(id)}/evidence`);
    return this.#transport.response(call, options);
  }
}
