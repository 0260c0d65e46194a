// ListProviders: the identity providers that people can log in with. There are none yet.

import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";

export function listProviders(): ServiceImpl<typeof KeysService>["listProviders"] {
  return () => ({ providers: [] });
}
