// What the plans of accounts say of retention: only keys knows them. Called by rpc/ for an account, and by
// worker/retention.ts for all.

import type { KeysService } from "@annals/proto/keys";
import type { Client } from "@connectrpc/connect";
import type { PlanRetention } from "./rules/retention.ts";

export type PlanReads = Pick<Client<typeof KeysService>, "listRetentions">;

/** Asks keys for the plans of at most 1,000 accounts, in order. */
export async function plansOf(
  keys: PlanReads,
  accountIds: readonly string[],
  signal?: AbortSignal,
): Promise<PlanRetention[]> {
  const request = { accountIds: [...accountIds] };
  const { retentions } = await keys.listRetentions(request, signal ? { signal } : {});
  return accountIds.map((_, at) => {
    const { archive = false, archiveDays, days, minDays = 1 } = retentions[at] ?? {};
    return { archive, archiveDays, days, minDays };
  });
}

export async function planOf(
  keys: PlanReads,
  accountId: string,
  signal?: AbortSignal,
): Promise<PlanRetention> {
  const [plan] = await plansOf(keys, [accountId], signal);
  return plan ?? { days: undefined, minDays: 1 };
}
