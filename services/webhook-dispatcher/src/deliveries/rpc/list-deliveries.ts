// ListDeliveries: one page of the attempted deliveries of a webhook, newest first (interface 9.2).

import { complete, invalid, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { DeliverySchema, WebhooksService } from "@annals/proto/webhooks";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { findWebhook } from "../../store/find-webhook.ts";
import {
  type DeliveryRow,
  listDeliveries as listDeliveriesStatement,
} from "../store/list-deliveries.ts";
import { checkId } from "../../webhooks/webhook-members.ts";

const MAX_LIMIT = 100;
/** Number above that of every delivery. */
const ABOVE_THE_NEWEST = 2n ** 63n - 1n;

interface Deps {
  readonly database: Pool;
}

export function listDeliveries(deps: Deps): ServiceImpl<typeof WebhooksService>["listDeliveries"] {
  return async ({ accountId, webhookId, limit, after }, { signal }) => {
    complete({ account_id: accountId, webhook_id: webhookId });
    checkId(webhookId);
    if (limit < 1 || limit > MAX_LIMIT) {
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
    }
    if (!/^\d{0,18}$/.test(after))
      throw invalid({ field: "after", message: "must be the next_cursor of an earlier page" });
    const database = deps.database.forAccount(accountId, signal);
    const [webhook] = await database.run(findWebhook, [accountId, webhookId]);
    if (!webhook) throw notFound("webhook", webhookId);
    const below = after === "" ? ABOVE_THE_NEWEST : BigInt(after);
    // One row more than the limit shows whether there is a next page.
    const rows = await database.run(listDeliveriesStatement, [
      accountId,
      webhookId,
      below,
      limit + 1,
    ]);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? (page.at(-1)?.number ?? "") : "";
    return { deliveries: page.map(renderDelivery), next };
  };
}

function renderDelivery(row: DeliveryRow): MessageInitShape<typeof DeliverySchema> {
  const { id, event, attempts, succeeded: success } = row;
  return {
    id,
    event,
    success,
    attempts,
    ...(row.status_code !== null && { statusCode: row.status_code }),
    ...(row.failure !== null && { failure: row.failure }),
    ...(success ? { deliveredAt: row.attempted_at } : { lastAttemptAt: row.attempted_at }),
    ...(row.next_attempt_at !== null && { nextRetryAt: row.next_attempt_at }),
  };
}
