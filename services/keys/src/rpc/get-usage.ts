// GetUsage: how many live keys and widget tokens an account has (docs/open-details.md).

import { complete } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import { MAX_LIVE_TOKENS } from "../domain/new-widget-token.ts";
import { countApiKeys } from "../store/count-api-keys.ts";
import { countWidgetTokens } from "../store/count-widget-tokens.ts";

interface Deps {
  readonly database: Database;
}

export function getUsage({ database }: Deps): ServiceImpl<typeof KeysService>["getUsage"] {
  return async ({ accountId }) => {
    complete({ account_id: accountId });
    const [keys] = await database.run(countApiKeys, [accountId]);
    const [tokens] = await database.run(countWidgetTokens, [accountId]);
    return {
      apiKeys: Number(keys?.live_keys ?? 0),
      widgetTokens: Number(tokens?.live_tokens ?? 0),
      maxWidgetTokens: MAX_LIVE_TOKENS,
    };
  };
}
