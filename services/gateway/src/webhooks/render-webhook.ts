// A webhook and a delivery record as JSON (interface 9.1 and 9.2). The signing secret is never part
// of them: only the create route adds it.

import { EVENT_PATTERNS } from "@annals/contract";
import type { Delivery, Dropped, Webhook } from "@annals/proto/webhooks";
import { Type } from "typebox";
import { Count, Id, named, Nullable, openDetail, Time } from "../render/schema.ts";
import { FilterShown, renderFilter } from "./render-webhook-filter.ts";

export const WebhookId = Id("wh", "6w9t2q5n8k1h4f7c0z3x6v9s2m");
export const DeliveryId = Id("wh_del", "2d5g8j1m4q7t0w3z6c9f2k5n8r");

const Pattern = named(
  "EventPattern",
  Type.Enum([...EVENT_PATTERNS], {
    description: "The name of an event; `*` means all of them but `log.checkpointed`.",
  }),
);

export const WebhookEvents = Type.Array(Pattern, {
  minItems: 1,
  description:
    "The events to deliver; `*` means all but `log.checkpointed`. Duplicates are ignored.",
  examples: [["event.created"]],
});

const DroppedBody = named(
  "DroppedDeliveries",
  Type.Object(
    {
      count: Count(),
      first_sequence_number: Nullable(Type.Integer()),
      last_sequence_number: Nullable(Type.Integer()),
      last_at: Type.String({ format: "date-time" }),
    },
    {
      description:
        "Deliveries that were not queued, because the account had too many pending. Absent if there are none.",
      ...openDetail("dropped-deliveries"),
    },
  ),
);

const DISABLED = openDetail("disabled-webhook");

export const WebhookBody = named(
  "Webhook",
  Type.Object({
    id: WebhookId,
    url: Type.String({ format: "uri", examples: ["https://hooks.example.com/annals"] }),
    events: WebhookEvents,
    active: Type.Boolean(),
    created_at: Time({ description: "ISO 8601, UTC." }),
    filter: Type.Optional(FilterShown),
    disabled_reason: Type.Optional(
      Type.Enum(["failing", "erasure"], {
        description:
          "Why the service disabled the webhook. `failing`: its receiver failed for days. `erasure`: its filter would " +
          "leave out less, because a value of `not` was erased. Absent if it did not.",
        ...DISABLED,
      }),
    ),
    disabled_at: Type.Optional(
      Type.String({
        format: "date-time",
        description: "When the service disabled the webhook; ISO 8601, UTC.",
        ...DISABLED,
      }),
    ),
    dropped: Type.Optional(DroppedBody),
  }),
);

export const WebhookSecretBody = Type.String({
  pattern: "^whsec_[A-Za-z0-9+/]+={0,2}$",
  description: "The signing secret, `whsec_` and base64. Shown only in this response.",
  examples: ["whsec_oGF5v0m3oZyRXvLk9y8rOnqzq4H1mYJv2v5C1u0s8hE="],
});

export function renderWebhook(webhook: Webhook | undefined) {
  return {
    id: webhook?.id ?? "",
    url: webhook?.url ?? "",
    events: webhook?.events ?? [],
    active: webhook?.active ?? false,
    created_at: webhook?.createdAt ?? "",
    ...(webhook?.filter && { filter: renderFilter(webhook.filter) }),
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

export const DeliveryBody = named(
  "Delivery",
  Type.Object({
    id: DeliveryId,
    event: Type.String({ description: "The event's name.", examples: ["event.created"] }),
    status: Type.Enum(["success", "failed"]),
    status_code: Nullable(Type.Integer({ minimum: 100, maximum: 999, examples: [204] }), {
      description: "Status code of the last attempt; null if there was no response.",
    }),
    failure: Nullable(
      Type.Enum(["status", "address", "connection", "tls", "timeout", "response", "interrupted"]),
      {
        description:
          "Why the last attempt failed; null after a success. `status`: the response has no 2xx status. " +
          "`address`: the host has no address that may be connected to. `connection`: no connection, or it " +
          "broke. `tls`: no valid certificate. `timeout`: no status in time. `response`: no valid response. " +
          "`interrupted`: the service stopped during the attempt.",
        examples: [null],
        ...openDetail("delivery-failure"),
      },
    ),
    attempts: Count({ examples: [1] }),
    delivered_at: Type.Optional(
      Time({ description: "When the delivery succeeded. Absent if it did not." }),
    ),
    last_attempt_at: Type.Optional(
      Type.String({
        format: "date-time",
        description: "When the last attempt ended. Absent if it succeeded.",
      }),
    ),
    next_retry_at: Nullable(Type.String({ format: "date-time" }), {
      description: "When the next attempt is due; null if no attempt is left.",
      examples: [null],
    }),
  }),
);

export function renderDelivery(delivery: Delivery) {
  const { id, event, success, attempts } = delivery;
  return {
    id,
    event,
    status: success ? "success" : "failed",
    status_code: delivery.statusCode ?? null,
    failure: delivery.failure ?? null,
    attempts,
    ...(delivery.deliveredAt !== undefined && { delivered_at: delivery.deliveredAt }),
    ...(delivery.lastAttemptAt !== undefined && { last_attempt_at: delivery.lastAttemptAt }),
    next_retry_at: delivery.nextRetryAt ?? null,
  };
}

export const QueuedDelivery = named(
  "QueuedDelivery",
  Type.Object({ id: DeliveryId }, { description: "The new delivery." }),
);
