// A webhook and a delivery record as JSON (interface 2.3 and 2.4). The signing secret is never part
// of them: only the create route adds it.

import { EVENT_PATTERNS } from "@annals/contract";
import type { Delivery, Dropped, Webhook } from "@annals/proto/webhooks";
import { Type } from "typebox";

/** Longest URL of a webhook (docs/open-details.md). */
const MAX_URL_LENGTH = 2_048;

export const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: MAX_URL_LENGTH,
  description: "An HTTPS URL of a public host, without a user name.",
  examples: ["https://example.com/hooks"],
});

export const WebhookEvents = Type.Array(Type.Enum([...EVENT_PATTERNS]), {
  minItems: 1,
  description: "What is delivered; `*` is everything. A repeated one counts once.",
});

const open = { "x-annals-open-detail": true };

const DroppedBody = Type.Object(
  {
    count: Type.Integer(),
    first_sequence_number: Type.Union([Type.Integer(), Type.Null()]),
    last_sequence_number: Type.Union([Type.Integer(), Type.Null()]),
    last_at: Type.String(),
  },
  {
    description:
      "Deliveries that were not queued, because the account had too many pending; not there when there are none.",
    ...open,
  },
);

export const WebhookBody = Type.Object({
  id: Type.String({ description: "`wh_` and an opaque text." }),
  url: Type.String(),
  events: Type.Array(Type.Enum([...EVENT_PATTERNS])),
  active: Type.Boolean(),
  created_at: Type.String({ description: "ISO 8601, UTC." }),
  disabled_reason: Type.Optional(
    Type.Enum(["failing"], {
      description: "Why the service disabled it; not there when it did not.",
      ...open,
    }),
  ),
  disabled_at: Type.Optional(
    Type.String({ description: "When the service disabled it; ISO 8601, UTC.", ...open }),
  ),
  dropped: Type.Optional(DroppedBody),
});

export const WebhookSecretBody = Type.String({
  description: "The signing secret, `whsec_` and base64. Shown in this answer and never again.",
  examples: ["whsec_oGF5v0m3oZyRXvLk9y8rOnqzq4H1mYJv2v5C1u0s8hE="],
});

export function renderWebhook(webhook: Webhook | undefined) {
  return {
    id: webhook?.id ?? "",
    url: webhook?.url ?? "",
    events: webhook?.events ?? [],
    active: webhook?.active ?? false,
    created_at: webhook?.createdAt ?? "",
    ...(webhook?.disabledReason !== undefined && { disabled_reason: webhook.disabledReason }),
    ...(webhook?.disabledAt !== undefined && { disabled_at: webhook.disabledAt }),
    ...(webhook?.dropped && { dropped: renderDropped(webhook.dropped) }),
  };
}

function renderDropped(dropped: Dropped) {
  const { firstSequenceNumber: first, lastSequenceNumber: last } = dropped;
  return {
    count: Number(dropped.count),
    first_sequence_number: first === undefined ? null : Number(first),
    last_sequence_number: last === undefined ? null : Number(last),
    last_at: dropped.lastAt,
  };
}

const time = (description: string) => Type.Optional(Type.String({ description }));

export const DeliveryBody = Type.Object({
  id: Type.String({ description: "`wh_del_` and an opaque text." }),
  event: Type.String({ description: "The event's name." }),
  status: Type.Enum(["success", "failed"]),
  status_code: Type.Union([Type.Integer(), Type.Null()], {
    description: "Of the last attempt; null when no answer came.",
  }),
  attempts: Type.Integer(),
  delivered_at: time("When it succeeded; not there when it failed."),
  last_attempt_at: time("When the last attempt ended; not there when it succeeded."),
  next_retry_at: Type.Union([Type.String(), Type.Null()], {
    description: "Null when no further attempt is to come.",
  }),
});

export function renderDelivery(delivery: Delivery) {
  const { id, event, success, attempts } = delivery;
  return {
    id,
    event,
    status: success ? "success" : "failed",
    status_code: delivery.statusCode ?? null,
    attempts,
    ...(delivery.deliveredAt !== undefined && { delivered_at: delivery.deliveredAt }),
    ...(delivery.lastAttemptAt !== undefined && { last_attempt_at: delivery.lastAttemptAt }),
    next_retry_at: delivery.nextRetryAt ?? null,
  };
}

export const QueuedDelivery = Type.Object({
  id: Type.String({ description: "Of the new delivery, `wh_del_` and an opaque text." }),
});
