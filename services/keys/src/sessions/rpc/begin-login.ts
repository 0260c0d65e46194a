// BeginLogin: where a browser goes to log in. There are no providers yet.

import { notFound } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";

export function beginLogin(): ServiceImpl<typeof KeysService>["beginLogin"] {
  return ({ provider }) => {
    throw notFound("identity provider", provider);
  };
}
