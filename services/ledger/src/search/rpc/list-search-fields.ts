// ListSearchFields: the fields of the account, and how far the index of each is. There are few of them.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { listSearchFields as list } from "../../store/list-search-fields.ts";
import { renderSearchField } from "./render-search-field.ts";

interface Deps {
  readonly database: Pool;
}

export function listSearchFields({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["listSearchFields"] {
  return async ({ accountId }, { signal }) => {
    complete({ account_id: accountId });
    const rows = await database.forAccount(accountId, signal).run(list, [accountId]);
    return { fields: rows.map(renderSearchField) };
  };
}
