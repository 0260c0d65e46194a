// ListApiKeys: a page of the live keys of an account, newest first (interface 5).

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { keysetPage } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { listApiKeys as listApiKeysStatement } from "../../store/list-api-keys.ts";
import { renderApiKey } from "./render-api-key.ts";

interface Deps {
  readonly database: Pool;
}

export function listApiKeys(deps: Deps): ServiceImpl<typeof KeysService>["listApiKeys"] {
  return async ({ accountId, limit, after }, { signal }) => {
    complete({ account_id: accountId });
    const database = deps.database.forAccount(accountId, signal);
    const { rows, next } = await keysetPage({ after, limit }, "key_", (...params) =>
      database.run(listApiKeysStatement, [accountId, ...params]),
    );
    return { apiKeys: rows.map(renderApiKey), next };
  };
}
