// ListApiKeys: the live keys of an account, newest first (interface 4.1).

import { complete } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import { listApiKeys as listApiKeysStatement } from "../store/list-api-keys.ts";
import { renderApiKey } from "./render-api-key.ts";

interface Deps {
  readonly database: Database;
}

export function listApiKeys(deps: Deps): ServiceImpl<typeof KeysService>["listApiKeys"] {
  return async ({ accountId }) => {
    complete({ account_id: accountId });
    const rows = await deps.database.run(listApiKeysStatement, [accountId]);
    return { apiKeys: rows.map(renderApiKey) };
  };
}
