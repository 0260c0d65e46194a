// The filter of a webhook or a sink as clients send it, as it is shown, and as the webhook dispatcher gets
// it. Called by render-webhook.ts and render-sink.ts, and by the routes that create and change webhooks and
// sinks. It must never judge an event.

import {
  MAX_FILTER_VALUE_LENGTH,
  MAX_FILTER_VALUES,
  MAX_WEBHOOK_FILTER_BYTES,
} from "@annals/contract";
import type { WebhookFilter, WebhookFilterSchema } from "@annals/proto/webhook-filters";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Type, type Static } from "typebox";
import { CLOSED, named, Nullable, openDetail, TextOrTexts } from "../render/schema.ts";

const FILTER = openDetail("webhook-filter");

const Given = (description: string, example: string) =>
  Type.Optional(
    TextOrTexts(
      { maxItems: MAX_FILTER_VALUES, maxLength: MAX_FILTER_VALUE_LENGTH },
      {
        description: `${description} One of up to ${MAX_FILTER_VALUES} values.`,
        examples: [example],
      },
    ),
  );

const NewFilter = named(
  "NewWebhookFilter",
  Type.Object(
    {
      action: Given("Exact; with a `*` at the end, a prefix.", "user.deleted"),
      actor_id: Given("Exact.", "u_1"),
      actor_type: Given("Exact.", "user"),
      target_id: Given("Exact.", "inv_9"),
      target_type: Given("Exact.", "invoice"),
    },
    {
      ...CLOSED,
      description:
        "Which events a webhook sends `event.created` for, and which a sink is sent: those that match all members, as " +
        "in GET /v1/events. " +
        `At most ${MAX_WEBHOOK_FILTER_BYTES.toLocaleString("en")} bytes as JSON.`,
      examples: [{ action: ["user.deleted", "invoice.*"] }],
      ...FILTER,
    },
  ),
);

/** A filter in a request. */
export const GivenFilter = Type.Optional(
  Nullable(NewFilter, { description: "Null, or no member: all events.", ...FILTER }),
);

const Shown = (example: string) =>
  Type.Optional(Type.Array(Type.String({ examples: [example] }), { examples: [[example]] }));

/** A filter in a response. */
export const FilterShown = named(
  "WebhookFilter",
  Type.Object(
    {
      action: Shown("user.deleted"),
      actor_id: Shown("u_1"),
      actor_type: Shown("user"),
      target_id: Shown("inv_9"),
      target_type: Shown("invoice"),
    },
    {
      description:
        "Which events a webhook sends `event.created` for, and which a sink is sent. Absent: all. A member without " +
        "values, which an erasure leaves, matches none.",
      examples: [{ action: ["user.deleted"] }],
      ...FILTER,
    },
  ),
);

type Given = Static<typeof NewFilter>;
type Member = keyof Given;

/** Each member with the field of the message that has it. */
const FIELDS = [
  ["action", "action"],
  ["actor_id", "actorId"],
  ["actor_type", "actorType"],
  ["target_id", "targetId"],
  ["target_type", "targetType"],
] as const satisfies readonly (readonly [Member, keyof WebhookFilter])[];

export function filterMessage(filter: Given | null): MessageInitShape<typeof WebhookFilterSchema> {
  const members = FIELDS.flatMap(([member, field]) => {
    const given = filter?.[member];
    return given === undefined ? [] : [[field, { values: [given].flat() }] as const];
  });
  return Object.fromEntries(members);
}

export function renderFilter(filter: WebhookFilter): Static<typeof FilterShown> {
  const members = FIELDS.flatMap(([member, field]) => {
    const given = filter[field];
    return given ? [[member, given.values] as const] : [];
  });
  return Object.fromEntries(members);
}
