// A stored webhook as proto.

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { WebhookSchema } from "@annals/proto/webhooks";
import type { WebhookRow } from "../store/webhook-row.ts";

export function renderWebhook(row: WebhookRow): MessageInitShape<typeof WebhookSchema> {
  const { id, url, events, active, created_at: createdAt } = row;
  return { id, url, events: [...events], active, createdAt };
}
