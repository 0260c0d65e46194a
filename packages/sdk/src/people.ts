// The routes of role mappings and people, as `annals.roleMappings` and `annals.people`. Called by routes.ts.

import { listOf, pageOf, type PageOptions, type Pages, path } from "./pages.ts";
import { type CallOptions, post, type Transport } from "./transport.ts";
import type * as T from "./types.ts";

const MAPPINGS = "/role-mappings";

export class RoleMappings {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** For a group of an identity provider, or for one person. */
  create(mapping: T.NewRoleMapping, options?: CallOptions): Promise<T.RoleMapping> {
    const call = { ...post("create-role-mapping", MAPPINGS), body: mapping };
    return this.#transport.data(call, options);
  }

  list(options?: PageOptions): Pages<T.RoleMapping, T.RoleMappingPage> {
    return listOf(this.#transport, ["list-role-mappings", MAPPINGS], pageOf(options), options);
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    const at = `${MAPPINGS}/${path(id)}`;
    const call = { operation: "delete-role-mapping", method: "DELETE", path: at };
    await this.#transport.json(call, options);
  }
}

export class People {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options?: PageOptions): Pages<T.Person, T.PersonPage> {
    return listOf(this.#transport, ["list-people", "/people"], pageOf(options), options);
  }
}
