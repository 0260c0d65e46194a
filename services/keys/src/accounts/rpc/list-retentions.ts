// ListRetentions: how long the plans of some accounts keep events, and whether they archive them. The ledger
// asks for its daily pass (docs/lifecycle.md), and when a client reads or sets the retention of its account.
// An account that is not known here, such as that of the operator's audit, has no plan that deletes its
// events.

import { invalid } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import { DEFAULT_LIMITS, type Plans } from "../rules/plan.ts";
import { listPlansOf } from "../store/list-plans-of.ts";

const MAX_ACCOUNTS = 1_000;

interface Deps {
  readonly database: Pool;
  readonly plans: Plans;
}

export function listRetentions({
  database,
  plans,
}: Deps): ServiceImpl<typeof KeysService>["listRetentions"] {
  return async ({ accountIds }) => {
    if (accountIds.length < 1 || accountIds.length > MAX_ACCOUNTS)
      throw invalid({ field: "account_ids", message: `must be from 1 to ${MAX_ACCOUNTS} ids` });
    const rows = await database.run(listPlansOf, [accountIds]);
    const known = new Map(rows.map(({ account_id: id, plan }) => [id, plan]));
    const retentions = accountIds.map((id) => {
      const plan = known.get(id);
      if (plan === undefined) return { minDays: DEFAULT_LIMITS.minRetentionDays };
      const { archive, archiveDays, ...of } = plans.of(plan);
      return {
        minDays: of.minRetentionDays,
        ...(of.retentionDays !== undefined && { days: of.retentionDays }),
        archive,
        ...(archiveDays !== undefined && { archiveDays }),
      };
    });
    return { retentions };
  };
}
