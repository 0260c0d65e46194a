// The routes of workloads, as `annals.workloads`. Called by routes.ts.

import { listOf, pageOf, type PageOptions, type Pages, path } from "./pages.ts";
import { type CallOptions, post, type Transport } from "./transport.ts";
import type * as T from "./types.ts";

const WORKLOADS = "/workloads";

export class Workloads {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Trusts the programs of an issuer that have a subject and some claims. */
  create(workload: T.NewWorkload, options?: CallOptions): Promise<T.Workload> {
    const call = { ...post("create-workload", WORKLOADS), body: workload };
    return this.#transport.data(call, options);
  }

  list(options?: PageOptions): Pages<T.Workload, T.WorkloadPage> {
    return listOf(this.#transport, ["list-workloads", WORKLOADS], pageOf(options), options);
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    const at = `${WORKLOADS}/${path(id)}`;
    const call = { operation: "delete-workload", method: "DELETE", path: at };
    await this.#transport.json(call, options);
  }
}
