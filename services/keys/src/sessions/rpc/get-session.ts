// GetSession: whose session a cookie is. There are no sessions yet.

import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";

export function getSession(): ServiceImpl<typeof KeysService>["getSession"] {
  return () => ({});
}
