// EndSession: ends a session of the dashboard, and says where the browser ends that at the provider.

import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import { logOut } from "../log-out.ts";

type Deps = Parameters<typeof logOut>[1];

export function endSession(deps: Deps): ServiceImpl<typeof KeysService>["endSession"] {
  return ({ cookie }) => logOut("dashboard", deps, cookie);
}
