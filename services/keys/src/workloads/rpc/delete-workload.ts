// DeleteWorkload: trusts a workload no longer.

import { complete } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { removeWorkload } from "../remove-workload.ts";

type Deps = Parameters<typeof removeWorkload>[0];

export function deleteWorkload(deps: Deps): ServiceImpl<typeof KeysService>["deleteWorkload"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    await removeWorkload(deps, { accountId, id }, actorOf(context));
    return {};
  };
}
