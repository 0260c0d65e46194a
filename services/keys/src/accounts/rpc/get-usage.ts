// GetUsage: how many live keys and widget tokens an account has (docs/interface.md), and how many of the
// tokens the key has made that asks.

import { complete, internal } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { type Plans, shareOfTokens } from "../rules/plan.ts";
import { countWidgetTokens } from "../../store/count-widget-tokens.ts";
import { getAccount } from "../store/get-account.ts";

interface Deps {
  readonly database: Pool;
  readonly plans: Plans;
}

export function getUsage(deps: Deps): ServiceImpl<typeof KeysService>["getUsage"] {
  return async ({ accountId }, context) => {
    complete({ account_id: accountId });
    const database = deps.database.forAccount(accountId, context.signal);
    const [account] = await database.run(getAccount, [accountId]);
    if (!account) throw internal(`account ${accountId} does not exist`);
    const keyId = actorOf(context).id ?? "";
    const [tokens] = await database.run(countWidgetTokens, [accountId, keyId]);
    const { maxWidgetTokens } = deps.plans.of(account.plan);
    return {
      apiKeys: Number(account.live_keys),
      widgetTokens: Number(tokens?.live_tokens ?? 0),
      maxWidgetTokens,
      widgetTokensOfKey: Number(tokens?.of_key ?? 0),
      maxWidgetTokensOfKey: shareOfTokens(maxWidgetTokens),
    };
  };
}
