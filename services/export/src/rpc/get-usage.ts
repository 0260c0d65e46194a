// GetUsage: how many exports and how many bytes of files an account has, the limits of both, and how long
// exports are kept (docs/open-details.md).

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import { admissionOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { type ExportLimits, limitsOf } from "../domain/export-limits.ts";
import { countJobs } from "../store/count-jobs.ts";

interface Deps {
  readonly database: Pool;
  readonly limits: ExportLimits;
  readonly retentionDays: number;
}

export function getUsage(deps: Deps): ServiceImpl<typeof ExportsService>["getUsage"] {
  const { database, retentionDays } = deps;
  return async ({ accountId }, context) => {
    complete({ account_id: accountId });
    const limits = limitsOf(deps.limits, admissionOf(context)?.maxExportBytes);
    const [has] = await database.forAccount(accountId, context.signal).run(countJobs, [accountId]);
    return {
      kept: has?.kept ?? 0,
      maxKept: limits.maxKeptPerAccount,
      underWay: has?.under_way ?? 0,
      maxUnderWay: limits.maxUnderWayPerAccount,
      bytes: BigInt(has?.bytes ?? 0),
      maxBytes: BigInt(limits.maxBytesPerAccount),
      retentionDays,
    };
  };
}
