// The filter of a webhook or a sink as clients send it, as it is shown, and as the webhook dispatcher gets
// it. Called by render-webhook.ts and render-sink.ts, and by the routes that create and change webhooks and
// sinks. It must never judge an event.

import { MAX_WEBHOOK_FILTER_BYTES } from "@annals/contract";
import type { FieldValues } from "@annals/proto/ledger";
import { type WebhookFilter, WebhookFilterSchema } from "@annals/proto/webhook-filters";
import { create } from "@bufbuild/protobuf";
import { Type, type Static } from "typebox";
import type { Admission } from "../admission/admission.ts";
import type { Deps } from "../deps.ts";
import { Excluded, valueMembers } from "../events/render-event-filter.ts";
import { storedFilter } from "../events/stored-filter.ts";
import { CLOSED, named, Nullable, openDetail } from "../render/schema.ts";

const FILTER = openDetail("webhook-filter");

const NewFilter = named(
  "NewWebhookFilter",
  Type.Object(
    {
      ...valueMembers,
      not: Type.Optional(Excluded),
    },
    {
      ...CLOSED,
      description:
        "Which events a webhook sends `event.created` for, and which a sink is sent: those that match all members, as " +
        "in GET /v1/events. " +
        `At most ${MAX_WEBHOOK_FILTER_BYTES.toLocaleString("en")} bytes as JSON, with path and type of each declared field.`,
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

const shownMembers = {
  action: Shown("user.deleted"),
  actor_id: Shown("u_1"),
  actor_type: Shown("user"),
  target_id: Shown("inv_9"),
  target_type: Shown("invoice"),
  outcome: Shown("failure"),
  fields: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string[]>>>({
      type: "object",
      additionalProperties: { type: "array", items: { type: "string" } },
      description: "By declared fields: each by the name that it had when the filter was set.",
      examples: [{ ip: ["203.0.113.0/24"] }],
    }),
  ),
};

/** A filter in a response. */
export const FilterShown = named(
  "WebhookFilter",
  Type.Object(
    {
      ...shownMembers,
      not: Type.Optional(
        Type.Object(shownMembers, {
          description: "What is left out: events that any of these members selects.",
          examples: [{ action: ["user.view"] }],
        }),
      ),
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
type GivenValues = Omit<Given, "not">;
type Member = keyof Omit<GivenValues, "fields">;

/** Each member with the field of the message that has it. */
const FIELDS = [
  ["action", "action"],
  ["actor_id", "actorId"],
  ["actor_type", "actorType"],
  ["target_id", "targetId"],
  ["target_type", "targetType"],
  ["outcome", "outcome"],
] as const satisfies readonly (readonly [Member, keyof WebhookFilter])[];

/** Throws `invalid` for a field that is not declared. */
export async function filterMessage(
  deps: Pick<Deps, "ledger">,
  admission: Admission,
  filter: Given | null,
  signal: AbortSignal,
): Promise<WebhookFilter> {
  const { not, ...own } = filter ?? {};
  const resolved = await storedFilter(deps, admission, filter ?? {}, signal);
  const message = valuesMessage(own, resolved.fields);
  return not ? { ...message, not: valuesMessage(not, resolved.not?.fields ?? []) } : message;
}

/** `resolved` begins with the outcome, if that is given. */
function valuesMessage(given: GivenValues, resolved: readonly FieldValues[]): WebhookFilter {
  const members = FIELDS.flatMap(([member, field]) => {
    const values = given[member];
    return values === undefined ? [] : [[field, { values: [values].flat() }] as const];
  });
  const fields = given.outcome === undefined ? resolved : resolved.slice(1);
  return create(WebhookFilterSchema, {
    ...Object.fromEntries(members),
    fields: fields.map(({ ignoreCase, name, path, type, values }) => ({
      ignoreCase,
      name,
      path,
      type,
      values,
    })),
  });
}

export function renderFilter(filter: WebhookFilter): Static<typeof FilterShown> {
  return { ...renderValues(filter), ...(filter.not && { not: renderValues(filter.not) }) };
}

function renderValues({ fields, ...lists }: WebhookFilter) {
  const members = FIELDS.flatMap(([member, field]) => {
    const given = lists[field];
    return given ? [[member, given.values] as const] : [];
  });
  const byName = fields.map(({ name, values }) => [name, values] as const);
  return {
    ...Object.fromEntries(members),
    ...(byName.length > 0 && { fields: Object.fromEntries(byName) }),
  };
}
