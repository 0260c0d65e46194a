// DeleteRoleMapping: takes back what a role mapping gives.

import { complete } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { removeRoleMapping } from "../remove-role-mapping.ts";

type Deps = Parameters<typeof removeRoleMapping>[0];

export function deleteRoleMapping(
  deps: Deps,
): ServiceImpl<typeof KeysService>["deleteRoleMapping"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    await removeRoleMapping(deps, { accountId, id }, actorOf(context));
    return {};
  };
}
