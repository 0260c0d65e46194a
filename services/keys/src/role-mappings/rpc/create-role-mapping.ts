// CreateRoleMapping: gives a role of the account to a group of an identity provider, or to one of its
// subjects.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { addRoleMapping, type RoleMappingDeps } from "../add-role-mapping.ts";

interface Deps extends RoleMappingDeps {
  readonly database: Pool;
}

export function createRoleMapping(
  deps: Deps,
): ServiceImpl<typeof KeysService>["createRoleMapping"] {
  return async ({ accountId, group, provider, role, subject }, context) => {
    complete({ account_id: accountId });
    const given = { accountId, group, provider, role, subject };
    const added = await addRoleMapping(
      { ...deps, database: deps.database.forAccount(accountId) },
      given,
      actorOf(context),
    );
    const { createdAt, id } = added;
    return { roleMapping: { id, provider, group, subject, role, createdAt } };
  };
}
