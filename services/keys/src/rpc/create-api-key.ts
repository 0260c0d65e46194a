// CreateApiKey: mints a key and stores its hash (interface 4.1). The secret leaves in this response and nowhere else.

import type { Database } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import { type KeyMaker, newApiKey } from "../domain/new-api-key.ts";
import { createApiKey as createApiKeyStatement } from "../store/create-api-key.ts";
import { complete } from "./complete.ts";

interface Deps extends KeyMaker {
  readonly database: Database;
}

export function createApiKey(deps: Deps): ServiceImpl<typeof KeysService>["createApiKey"] {
  return async ({ accountId, name, scopes }) => {
    complete({ account_id: accountId, name });
    const { secret, secretSha256, ...apiKey } = newApiKey(deps, { name, scopes });
    await deps.database.run(createApiKeyStatement, [
      accountId,
      apiKey.id,
      apiKey.name,
      apiKey.keyPrefix,
      secretSha256,
      apiKey.scopes,
      apiKey.createdAt,
    ]);
    return { apiKey: { ...apiKey, scopes: [...apiKey.scopes] }, secret };
  };
}
