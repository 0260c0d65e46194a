// ListApiKeys: a page of the live keys of an account, newest first (interface 4.1).

import { complete } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { keysetPage } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { listApiKeys as listApiKeysStatement } from "../store/list-api-keys.ts";
import { renderApiKey } from "./render-api-key.ts";

interface Deps {
  readonly database: Database;
}

export function listApiKeys(deps: Deps): ServiceImpl<typeof KeysService>["listApiKeys"] {
  return async ({ accountId, limit, after }) => {
    complete({ account_id: accountId });
    const { rows, next } = await keysetPage({ after, limit }, "key_", (...params) =>
      deps.database.run(listApiKeysStatement, [accountId, ...params]),
    );
    return { apiKeys: rows.map(renderApiKey), next };
  };
}
