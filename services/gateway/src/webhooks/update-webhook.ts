// PATCH /v1/webhooks/{id} (interface 9.1): changes URL, patterns, filter, or whether the webhook is
// active. Members that are left out stay unchanged.

import type { UpdateWebhookRequestSchema } from "@annals/proto/webhooks";
import type { WebhookFilter } from "@annals/proto/webhook-filters";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { WebhookUrl } from "@annals/interface";
import { Type, type Static } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, idIn, named } from "../render/schema.ts";
import { renderWebhook, WebhookBody, WebhookEvents, WebhookId } from "./render-webhook.ts";
import { filterMessage, GivenFilter } from "./render-webhook-filter.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const Body = named(
  "WebhookUpdate",
  Type.Object(
    {
      url: Type.Optional(WebhookUrl),
      events: Type.Optional(WebhookEvents),
      active: Type.Optional(Type.Boolean({ examples: [true] })),
      filter: GivenFilter,
    },
    CLOSED,
  ),
);

export function updateWebhook({ ledger, webhooks }: Pick<Deps, "ledger" | "webhooks">): Route {
  return route({
    summary: "Change a webhook",
    description:
      "After the response to `active: false`, no delivery begins. A webhook that is activated again receives " +
      "only later events. Another `filter` acts on later events, too; null removes it.",
    feature: "webhooks",
    params: idIn(WebhookId),
    body: Body,
    success: { status: 200, body: dataOf(WebhookBody) },
    failures: [404],
    handle: async ({ admission, body, params, signal }) => {
      const { filter: given } = body;
      const filter =
        given === undefined ? undefined : await filterMessage({ ledger }, admission, given, signal);
      const request = toRequest(admission.accountId, params.id, body, filter);
      const { webhook } = await webhooks.updateWebhook(request, admittedBy(admission));
      return { body: { data: renderWebhook(webhook) } };
    },
  });
}

function toRequest(
  accountId: string,
  id: string,
  { url, events, active }: Static<typeof Body>,
  filter: WebhookFilter | undefined,
): MessageInitShape<typeof UpdateWebhookRequestSchema> {
  return {
    accountId,
    id,
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: [...new Set(events)] }),
    ...(active !== undefined && { active }),
    ...(filter && { filter }),
  };
}
