// UpdateApiKey: renames a key; its scopes are fixed (interface 4.1).

import { complete, notFound } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import { isApiKeyId } from "../domain/api-key-id.ts";
import { updateApiKey as updateApiKeyStatement } from "../store/update-api-key.ts";
import { renderApiKey } from "./render-api-key.ts";

interface Deps {
  readonly database: Database;
}

export function updateApiKey(deps: Deps): ServiceImpl<typeof KeysService>["updateApiKey"] {
  return async ({ accountId, id, name }) => {
    complete({ account_id: accountId, id, name });
    if (!isApiKeyId(id)) throw notFound("API key", id);
    const [row] = await deps.database.run(updateApiKeyStatement, [accountId, id, name]);
    if (!row) throw notFound("API key", id);
    return { apiKey: renderApiKey(row) };
  };
}
