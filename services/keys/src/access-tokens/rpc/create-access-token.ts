// CreateAccessToken: mints an access token of a session. There are no sessions yet.

import { AnnalsError } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";

export function createAccessToken(): ServiceImpl<typeof KeysService>["createAccessToken"] {
  return () => {
    throw new AnnalsError("unauthenticated", "The session has ended. Log in again.");
  };
}
