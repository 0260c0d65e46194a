// Changes a webhook that the transaction has locked. Where it is disabled, its deliveries so far are stopped:
// no attempt begins any more. Where it begins to subscribe to a kind, it receives what lies after the given
// position; null keeps the earlier position.

import { statement } from "@annals/postgres";
import type { WebhookRow } from "./webhook-row.ts";

type Params = [
  accountId: string,
  id: string,
  url: string,
  events: readonly string[],
  active: boolean,
  afterEvents: bigint | null,
  afterVerifications: bigint | null,
  afterExports: bigint | null,
];

export const updateWebhook = statement<Params, WebhookRow>(`/* webhooks.update-webhook */
UPDATE webhooks.webhooks AS webhook SET
  url = $3::text,
  events = $4::text[],
  active = $5::boolean,
  after_events = coalesce($6::bigint, after_events),
  after_verifications = coalesce($7::bigint, after_verifications),
  after_exports = coalesce($8::bigint, after_exports),
  stopped_up_to = CASE WHEN $5::boolean THEN stopped_up_to ELSE greatest(stopped_up_to, (
    SELECT max(number) FROM webhooks.deliveries
    WHERE deliveries.account_id = webhook.account_id AND deliveries.webhook_id = webhook.id)) END
WHERE account_id = $1::text AND id = $2::text
RETURNING id, url, events, active, created_at
`);
