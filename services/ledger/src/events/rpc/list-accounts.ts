// ListAccounts: a page of the accounts that have a chain. The webhook dispatcher calls it every few seconds
// for the sinks of the operator. An account without events is not listed.

import { invalid } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { listAccounts as listAccountsStatement } from "../store/list-accounts.ts";
import { CONSUMERS } from "../consumers.ts";

const MAX_ACCOUNTS = 1_000;

interface Deps {
  readonly database: Pool;
}

export function listAccounts({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["listAccounts"] {
  return async ({ afterAccountId, limit }, { signal }) => {
    if (limit < 1 || limit > MAX_ACCOUNTS)
      throw invalid({ field: "limit", message: `Must be from 1 to ${MAX_ACCOUNTS}.` });
    const all = database.forAccount(CONSUMERS, signal);
    const rows = await all.run(listAccountsStatement, [afterAccountId, limit]);
    return { accountIds: rows.map((row) => row.account_id) };
  };
}
