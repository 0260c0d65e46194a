// EndProviderSessions: ends the sessions that a logout token names. There are no providers yet.

import { notFound } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";

export function endProviderSessions(): ServiceImpl<typeof KeysService>["endProviderSessions"] {
  return ({ provider }) => {
    throw notFound("identity provider", provider);
  };
}
