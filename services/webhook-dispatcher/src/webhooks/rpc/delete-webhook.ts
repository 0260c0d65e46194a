// DeleteWebhook: deletes a webhook permanently (interface 9.1). Its secret is erased, and no delivery
// begins after the response.

import type { Clock } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { webhookChange } from "../rules/audit-entries.ts";
import { AUDIT } from "../../store/audit.ts";
import { deleteWebhook as deleteWebhookStatement } from "../store/delete-webhook.ts";
import type { AwaitDisabled } from "./await-disabled.ts";
import { checkId } from "../webhook-members.ts";

export interface DeleteWebhookDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly awaitDisabled: AwaitDisabled;
}

export function deleteWebhook(
  deps: DeleteWebhookDeps,
): ServiceImpl<typeof WebhooksService>["deleteWebhook"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    checkId(id);
    const actor = actorOf(context);
    const occurredAt = deps.clock.nowText();
    const params = [accountId, id, occurredAt, actor.id ?? null] as const;
    await deps.database.forAccount(accountId, context.signal).transaction(async (transaction) => {
      const [row] = await transaction.run(deleteWebhookStatement, [...params]);
      if (!row) throw notFound("webhook", id);
      const change = { actor, occurredAt };
      await AUDIT.add(transaction, webhookChange("deleted", accountId, id, change));
    });
    await deps.awaitDisabled(accountId, id);
    return {};
  };
}
