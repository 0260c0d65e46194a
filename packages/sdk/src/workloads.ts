// The routes of workloads, as `annals.workloads`. Called by annals.ts.

import { pageOf, type PageOptions, Pages, path } from "./pages.ts";
import { type CallOptions, get, post, type Transport } from "./transport.ts";
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
    return new Pages((cursor) => {
      const filter = pageOf(options);
      const query = cursor === undefined ? filter : { ...filter, cursor };
      return this.#transport.json({ ...get("list-workloads", WORKLOADS), query }, options);
    });
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    const at = `${WORKLOADS}/${path(id)}`;
    const call = { operation: "delete-workload", method: "DELETE", path: at };
    await this.#transport.json(call, options);
  }
}
