// ListSavedSearches: the searches that the account keeps. There are few of them.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { listSavedSearches as list } from "../store/saved-searches.ts";
import { renderSavedSearch } from "./render-saved-search.ts";

interface Deps {
  readonly database: Pool;
}

export function listSavedSearches({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["listSavedSearches"] {
  return async ({ accountId }, { signal }) => {
    complete({ account_id: accountId });
    const rows = await database.forAccount(accountId, signal).run(list, [accountId]);
    return { searches: rows.map(renderSavedSearch) };
  };
}
