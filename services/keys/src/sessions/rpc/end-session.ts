// EndSession: ends a session. There are no sessions yet.

import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";

export function endSession(): ServiceImpl<typeof KeysService>["endSession"] {
  return () => ({});
}
