// BeginLogin: where a browser goes to log in to the dashboard, and the cookie that it keeps meanwhile.

import { complete } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import { requestIdOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { beginLoginOf } from "../log-in.ts";

type Deps = Parameters<typeof beginLoginOf>[1];

export function beginLogin(deps: Deps): ServiceImpl<typeof KeysService>["beginLogin"] {
  return async ({ provider, returnTo }, context) => {
    complete({ provider });
    const requestId = requestIdOf(context.requestHeader);
    return beginLoginOf("dashboard", deps, { provider, requestId, returnTo });
  };
}
