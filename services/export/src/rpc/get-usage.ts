// GetUsage: how many exports an account has, of how many, and for how long (docs/open-details.md).

import { complete } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ExportLimits } from "../domain/export-limits.ts";
import { countJobs } from "../store/count-jobs.ts";

interface Deps {
  readonly database: Database;
  readonly limits: ExportLimits;
  readonly retentionDays: number;
}

export function getUsage(deps: Deps): ServiceImpl<typeof ExportsService>["getUsage"] {
  const { database, limits, retentionDays } = deps;
  return async ({ accountId }) => {
    complete({ account_id: accountId });
    const [has] = await database.run(countJobs, [accountId]);
    return {
      kept: has?.kept ?? 0,
      maxKept: limits.maxKeptPerAccount,
      underWay: has?.under_way ?? 0,
      maxUnderWay: limits.maxUnderWayPerAccount,
      retentionDays,
    };
  };
}
