// ListRoleMappings: a page of the role mappings of an account, newest first.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import { listAccountMappings } from "../account-mappings.ts";
import { renderRoleMapping } from "./render-role-mapping.ts";

interface Deps {
  readonly database: Pool;
}

export function listRoleMappings(deps: Deps): ServiceImpl<typeof KeysService>["listRoleMappings"] {
  return async ({ accountId, limit, after }, context) => {
    complete({ account_id: accountId });
    const database = deps.database.forAccount(accountId, context.signal);
    const { rows, next } = await listAccountMappings(database, accountId, { after, limit });
    return { roleMappings: rows.map(renderRoleMapping), next };
  };
}
