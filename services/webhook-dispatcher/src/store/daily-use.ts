// The events that an account has replayed in a day of UTC, to webhooks and sinks.

import { DEFAULT_EVENTS_PER_DAY } from "@annals/contract";
import { countDailyUse, dailyUse, type Database } from "@annals/postgres";
import { admissionOf } from "@annals/rpc";
import type { HandlerContext } from "@connectrpc/connect";

export const DAILY_USE = dailyUse("webhooks");

/** Events that the plan of the caller's account lets it replay in a day. */
export function replayLimit(context: Pick<HandlerContext, "values">): bigint {
  return admissionOf(context)?.eventsReplayedPerDay ?? BigInt(DEFAULT_EVENTS_PER_DAY);
}

/** Call it in the transaction of the replay. Throws `plan_quota_exceeded`. */
export function countReplayed(
  transaction: Database,
  accountId: string,
  events: number | bigint,
  limit: bigint,
): Promise<void> {
  return countDailyUse(transaction, DAILY_USE, {
    accountId,
    amount: events,
    limit,
    what: "replayed events",
  });
}
