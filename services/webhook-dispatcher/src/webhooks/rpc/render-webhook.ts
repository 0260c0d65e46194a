// Renders a stored webhook as proto.

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { DroppedSchema, WebhookSchema } from "@annals/proto/webhooks";
import { filterOf } from "../rules/filter-history.ts";
import type { ShownWebhookRow } from "../../store/webhook-row.ts";
import { filterMember } from "../filter-members.ts";

export function renderWebhook(row: ShownWebhookRow): MessageInitShape<typeof WebhookSchema> {
  const { id, url, events, active, created_at: createdAt } = row;
  return {
    id,
    url,
    events: [...events],
    active,
    createdAt,
    ...filterMember(filterOf(row)),
    ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason }),
    ...(row.disabled_at !== null && { disabledAt: row.disabled_at }),
    ...(row.dropped !== null && { dropped: renderDropped(row) }),
  };
}

function renderDropped(row: ShownWebhookRow): MessageInitShape<typeof DroppedSchema> {
  const { first_dropped: first, last_dropped: last } = row;
  return {
    count: BigInt(row.dropped ?? 0),
    lastAt: row.last_dropped_at ?? "",
    ...(first !== null && { firstSequenceNumber: BigInt(first) }),
    ...(last !== null && { lastSequenceNumber: BigInt(last) }),
  };
}
