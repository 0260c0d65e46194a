// GetRetention: how long the account's events are kept, what says so, and what is deleted
// (docs/lifecycle.md#retention).

import type { DatabaseClock } from "@annals/contract";
import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { planOf, type PlanReads } from "../plan-retention.ts";
import { getLifecycle } from "../../store/lifecycles.ts";
import { renderRetention, US_PER_S } from "./retention-view.ts";

export interface RetentionDeps {
  readonly clock: DatabaseClock;
  readonly database: Pool;
  readonly keys: PlanReads;
}

export function getRetention({
  clock,
  keys,
  ...deps
}: RetentionDeps): ServiceImpl<typeof LedgerService>["getRetention"] {
  return async ({ accountId }, { signal }) => {
    complete({ account_id: accountId });
    const plan = await planOf(keys, accountId, signal);
    const database = deps.database.forAccount(accountId, signal);
    const [row] = await database.run(getLifecycle, [accountId]);
    const of = { accountId, plan, nowS: clock.nowMicros() / US_PER_S };
    return { retention: await renderRetention(database, of, row) };
  };
}
