// The routes of sinks, as `annals.sinks`. Called by routes.ts.

import type { CreateOptions } from "./create-options.ts";
import { listOf, pageOf, type PageOptions, type Pages, path } from "./pages.ts";
import { type CallOptions, get, post, type Transport } from "./transport.ts";
import type * as T from "./types.ts";

export class Sinks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The secrets of `config` are not shown again. */
  create(sink: T.NewSink, options?: CreateOptions): Promise<T.Sink> {
    const { idempotencyKey } = options ?? {};
    const call = { ...post("create-sink", "/sinks"), body: sink, idempotencyKey };
    return this.#transport.data(call, options);
  }

  list(options?: PageOptions): Pages<T.Sink, T.SinkPage> {
    return listOf(this.#transport, ["list-sinks", "/sinks"], pageOf(options), options);
  }

  get(id: string, options?: CallOptions): Promise<T.Sink> {
    return this.#transport.data(get("get-sink", `/sinks/${path(id)}`), options);
  }

  /** Replaces a `config` whole, with its secrets. */
  update(id: string, change: T.SinkUpdate, options?: CallOptions): Promise<T.Sink> {
    const call = { operation: "update-sink", method: "PATCH", path: `/sinks/${path(id)}` };
    return this.#transport.data({ ...call, body: change }, options);
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    const call = { operation: "delete-sink", method: "DELETE", path: `/sinks/${path(id)}` };
    await this.#transport.json(call, options);
  }

  /** Sends one checkpoint and waits for the receiver. */
  test(id: string, options?: CallOptions): Promise<T.SinkTest> {
    return this.#transport.data(post("test-sink", `/sinks/${path(id)}/test`), options);
  }

  /** Sends the events from a number on again. */
  replay(id: string, from: T.SinkReplay, options?: CallOptions): Promise<T.SinkReplay> {
    const call = post("replay-sink", `/sinks/${path(id)}/replay`);
    return this.#transport.data({ ...call, body: from }, options);
  }

  /** Passes over the event that `rejected` of the status names. */
  skip(id: string, event: T.SinkSkip, options?: CallOptions): Promise<T.SinkSkip> {
    const call = post("skip-sink-record", `/sinks/${path(id)}/skip`);
    return this.#transport.data({ ...call, body: event }, options);
  }

  status(id: string, options?: CallOptions): Promise<T.SinkStatus> {
    return this.#transport.data(get("get-sink-status", `/sinks/${path(id)}/status`), options);
  }
}
