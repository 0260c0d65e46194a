// ListWebhooks: the webhooks of an account, newest first, without their secrets (interface 4.3).

import { complete } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import type { ServiceImpl } from "@connectrpc/connect";
import { listWebhooks as listWebhooksStatement } from "../store/list-webhooks.ts";
import { renderWebhook } from "./render-webhook.ts";

interface Deps {
  readonly database: Database;
}

export function listWebhooks(deps: Deps): ServiceImpl<typeof WebhooksService>["listWebhooks"] {
  return async ({ accountId }) => {
    complete({ account_id: accountId });
    const rows = await deps.database.run(listWebhooksStatement, [accountId]);
    return { webhooks: rows.map(renderWebhook) };
  };
}
