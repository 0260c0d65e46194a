// GetUsage: how many exports and how many bytes of files an account has, how many events it has exported in
// this day, the limits of these, and how long exports are kept (docs/interface.md).

import { DEFAULT_EVENTS_PER_DAY } from "@annals/contract";
import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import { admissionOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { type ExportLimits, limitsOf } from "../../exports/rules/export-limits.ts";
import { countJobs } from "../../store/count-jobs.ts";
import { DAILY_USE } from "../../store/daily-use.ts";

interface Deps {
  readonly database: Pool;
  readonly limits: ExportLimits;
  readonly retentionDays: number;
}

export function getUsage(deps: Deps): ServiceImpl<typeof ExportsService>["getUsage"] {
  const { database, retentionDays } = deps;
  return async ({ accountId }, context) => {
    complete({ account_id: accountId });
    const { eventsExportedPerDay, maxExportBytes } = admissionOf(context) ?? {};
    const limits = limitsOf(deps.limits, maxExportBytes);
    const own = database.forAccount(accountId, context.signal);
    const [has] = await own.run(countJobs, [accountId]);
    const [day] = await own.run(DAILY_USE.get, [accountId]);
    return {
      kept: has?.kept ?? 0,
      maxKept: limits.maxKeptPerAccount,
      underWay: has?.under_way ?? 0,
      maxUnderWay: limits.maxUnderWayPerAccount,
      bytes: BigInt(has?.bytes ?? 0),
      maxBytes: BigInt(limits.maxBytesPerAccount),
      retentionDays,
      dayEvents: BigInt(day?.used ?? 0),
      maxDayEvents: eventsExportedPerDay ?? BigInt(DEFAULT_EVENTS_PER_DAY),
    };
  };
}
