// FinishLogin: checks what a provider sent back with a browser, and begins a session of the dashboard.

import { complete } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import { requestIdOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { type FinishDeps, loginFinisher } from "../log-in.ts";

export function finishLogin(deps: FinishDeps): ServiceImpl<typeof KeysService>["finishLogin"] {
  const finish = loginFinisher("dashboard", deps);
  return async ({ provider, query, sealedLogin }, context) => {
    complete({ provider });
    const requestId = requestIdOf(context.requestHeader);
    return finish({ provider, query, requestId, sealedLogin });
  };
}
