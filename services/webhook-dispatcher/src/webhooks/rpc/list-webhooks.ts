// ListWebhooks: a page of the webhooks of an account, newest first, without their secrets (interface 9.1).

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import { keysetPage } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { listWebhooks as listWebhooksStatement } from "../store/list-webhooks.ts";
import { renderWebhook } from "./render-webhook.ts";

interface Deps {
  readonly database: Pool;
}

export function listWebhooks(deps: Deps): ServiceImpl<typeof WebhooksService>["listWebhooks"] {
  return async ({ accountId, limit, after }, { signal }) => {
    complete({ account_id: accountId });
    const database = deps.database.forAccount(accountId, signal);
    const { rows, next } = await keysetPage({ after, limit }, "wh_", (...params) =>
      database.run(listWebhooksStatement, [accountId, ...params]),
    );
    return { webhooks: rows.map(renderWebhook), next };
  };
}
