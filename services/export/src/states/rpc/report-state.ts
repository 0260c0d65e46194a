// ReportState: what the operator's console shows of the exports of some accounts. Called by keys. An account
// whose server is away while others answer is left out.

import { invalid } from "@annals/errors";
import { type Pool, readAccounts } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import { listLateExports, reportExports } from "../store/report-exports.ts";

interface Deps {
  readonly database: Pool;
}

/** The name by which the pool counts these calls: they are for all accounts, and have one share. */
const OPERATORS = "operators";

/** Accounts of one call, and of each kind of work that waits. */
const MAX_ACCOUNTS = 100;
const LONGEST = 10;

export function reportState({ database }: Deps): ServiceImpl<typeof ExportsService>["reportState"] {
  return async ({ accountIds: given }, { signal }) => {
    if (given.length > MAX_ACCOUNTS)
      throw invalid({ field: "account_ids", message: `Must be at most ${MAX_ACCOUNTS}.` });
    const all = database.forAccount(OPERATORS, signal);
    const rows =
      given.length === 0
        ? await all.run(listLateExports, [LONGEST])
        : (
            await readAccounts(all, given, {
              together: () => all.run(reportExports, [given]),
              each: (accountId) => all.run(reportExports, [[accountId]]),
            })
          ).rows;
    const states = rows.map((row) => ({
      accountId: row.account_id,
      openExports: row.open,
      oldestCreatedAt: row.oldest_created_at,
    }));
    return { states };
  };
}
