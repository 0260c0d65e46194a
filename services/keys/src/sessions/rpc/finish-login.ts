// FinishLogin: begins a session after a login. There are no providers yet.

import { notFound } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";

export function finishLogin(): ServiceImpl<typeof KeysService>["finishLogin"] {
  return ({ provider }) => {
    throw notFound("identity provider", provider);
  };
}
