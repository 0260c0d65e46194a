// GetWidgetLog: how much of an account is covered, and by how many witnesses, for a widget token.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { coveredBy, renderCovered } from "../covered-by.ts";
import { getLog } from "../store/logs.ts";

interface Deps {
  readonly database: Pool;
}

export function getWidgetLog({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["getWidgetLog"] {
  return async ({ accountId }, { signal }) => {
    complete({ account_id: accountId });
    const own = database.forAccount(accountId, signal);
    const [log] = await own.run(getLog, []);
    if (log === undefined) return {};
    const covered = await coveredBy(own, accountId);
    return { logOrigin: log.origin, ...(covered && { covered: renderCovered(covered) }) };
  };
}
