// SetRetention: sets how long the account's events are kept, within what its plan allows
// (docs/lifecycle.md#retention). A shorter time takes effect after a delay.

import { complete } from "@annals/errors";
import type { LedgerService } from "@annals/proto/ledger";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { changeRetention } from "../change-retention.ts";
import { planOf } from "../plan-retention.ts";
import { checkArchive, checkDays } from "../rules/retention.ts";
import type { RetentionDeps } from "./get-retention.ts";
import { renderRetention, US_PER_S } from "./retention-view.ts";

export function setRetention(
  deps: RetentionDeps,
): ServiceImpl<typeof LedgerService>["setRetention"] {
  const { clock, database, keys } = deps;
  return async ({ accountId, archive, days }, context) => {
    complete({ account_id: accountId });
    const actor = actorOf(context);
    const plan = await planOf(keys, accountId, context.signal);
    checkDays(plan, days);
    checkArchive(plan, archive);
    const change = { accountId, actor, archive, days: days ?? null, plan };
    const row = await changeRetention(deps, change, context.signal);
    const of = { accountId, plan, nowS: clock.nowMicros() / US_PER_S };
    const own = database.forAccount(accountId, context.signal);
    return { retention: await renderRetention(own, of, row) };
  };
}
