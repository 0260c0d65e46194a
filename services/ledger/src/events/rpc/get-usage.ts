// GetUsage: how many events an account has, and how many of this month count against its plan
// (docs/interface.md). Both are in the row of the head, so no events are counted.

import type { Clock } from "@annals/contract";
import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { momentOf, timeAfter } from "../../append/rules/chain-time.ts";
import { monthOf, monthStartAt } from "../../append/rules/month.ts";
import { getUsage as getUsageStatement } from "../../store/get-usage.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly idempotencyHours: number;
}

export function getUsage({
  clock,
  database,
  idempotencyHours,
}: Deps): ServiceImpl<typeof LedgerService>["getUsage"] {
  return async ({ accountId }, { signal }) => {
    complete({ account_id: accountId });
    const own = database.forAccount(accountId, signal);
    const [row] = await own.run(getUsageStatement, [accountId]);
    const sequence = Number(row?.sequence_number ?? 0);
    const headTime = row?.created_at ?? "";
    const head = { sequence, createdAt: headTime, monthStart: Number(row?.month_start ?? 0) };
    // The month in which the next event would count.
    const { createdAt } = timeAfter(headTime, momentOf(clock));
    const monthEvents = BigInt(sequence - monthStartAt(head, createdAt));
    const month = monthOf(createdAt);
    return { events: BigInt(sequence), month, monthEvents, idempotencyHours };
  };
}
