// GetUsage: how many webhooks, sinks and pending deliveries an account has, the bytes of their bodies, and
// the events that it has replayed in this day (docs/interface.md). The bound on pending deliveries also
// bounds the cost of counting them.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import type { ServiceImpl } from "@connectrpc/connect";
import { countPending } from "../../store/count-pending.ts";
import { countSinks } from "../../sinks/exports.ts";
import { countWebhooks } from "../../store/count-webhooks.ts";
import { DAILY_USE, replayLimit } from "../../store/daily-use.ts";

export interface GetUsageDeps {
  readonly database: Pool;
  readonly maxPendingPerAccount: number;
  readonly maxPendingBytesPerAccount: number;
  /** Days that the record of a delivery is kept. */
  readonly retentionDays: number;
}

export function getUsage(deps: GetUsageDeps): ServiceImpl<typeof WebhooksService>["getUsage"] {
  const { maxPendingBytesPerAccount, maxPendingPerAccount, retentionDays } = deps;
  return async ({ accountId }, context) => {
    complete({ account_id: accountId });
    const database = deps.database.forAccount(accountId, context.signal);
    const [webhooks] = await database.run(countWebhooks, [accountId]);
    const sinks = await countSinks(database, accountId);
    const pending = await database.run(countPending, [accountId]);
    const [day] = await database.run(DAILY_USE.get, [accountId]);
    return {
      webhooks: webhooks?.count ?? 0,
      sinks,
      pendingDeliveries: pending.reduce((sum, row) => sum + row.pending, 0),
      maxPendingDeliveries: maxPendingPerAccount,
      pendingBytes: BigInt(pending.reduce((sum, row) => sum + row.bytes, 0)),
      maxPendingBytes: BigInt(maxPendingBytesPerAccount),
      retentionDays,
      dayEvents: BigInt(day?.used ?? 0),
      maxDayEvents: replayLimit(context),
    };
  };
}
