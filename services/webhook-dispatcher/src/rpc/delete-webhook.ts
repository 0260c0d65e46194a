// DeleteWebhook: deletes a webhook permanently (interface 3 and 4.3). Its secret is erased, and no delivery
// begins after the response.

import type { Clock } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import type { ServiceImpl } from "@connectrpc/connect";
import { deleteWebhook as deleteWebhookStatement } from "../store/delete-webhook.ts";
import type { AwaitDisabled } from "./await-disabled.ts";
import { checkId } from "./webhook-members.ts";

export interface DeleteWebhookDeps {
  readonly clock: Clock;
  readonly database: Database;
  readonly awaitDisabled: AwaitDisabled;
}

export function deleteWebhook(
  deps: DeleteWebhookDeps,
): ServiceImpl<typeof WebhooksService>["deleteWebhook"] {
  return async ({ accountId, id }) => {
    complete({ account_id: accountId, id });
    checkId(id);
    const params: [string, string, string] = [accountId, id, deps.clock.nowText()];
    const [row] = await deps.database.run(deleteWebhookStatement, params);
    if (!row) throw notFound("webhook", id);
    await deps.awaitDisabled(accountId, id);
    return {};
  };
}
