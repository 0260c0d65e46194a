// DeleteApiKey: revokes a key permanently (interface 3 and 4.1). The revocation is committed when this
// returns, and no admission that begins later finds the key.

import type { Clock } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import { isApiKeyId } from "../domain/api-key-id.ts";
import { deleteApiKey as deleteApiKeyStatement } from "../store/delete-api-key.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Database;
}

export function deleteApiKey(deps: Deps): ServiceImpl<typeof KeysService>["deleteApiKey"] {
  return async ({ accountId, id }) => {
    complete({ account_id: accountId, id });
    if (!isApiKeyId(id)) throw notFound("API key", id);
    const [row] = await deps.database.run(deleteApiKeyStatement, [
      accountId,
      id,
      deps.clock.nowText(),
    ]);
    if (!row) throw notFound("API key", id);
    return {};
  };
}
