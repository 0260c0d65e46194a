// POST /v1/webhooks (interface 9.1): creates a webhook. Its signing secret is in this response only.

import type { CreateWebhookRequestSchema } from "@annals/proto/webhooks";
import type { WebhookFilter } from "@annals/proto/webhook-filters";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { WebhookUrl } from "@annals/interface";
import { Type, type Static } from "typebox";
import { type Admission, admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, named } from "../render/schema.ts";
import { renderWebhook, WebhookBody, WebhookEvents, WebhookSecretBody } from "./render-webhook.ts";
import { filterMessage, GivenFilter } from "./render-webhook-filter.ts";
import {
  askedOnce,
  createdOnce,
  ONCE_HEADER,
  OnceHeaders,
  onceHeaders,
} from "../render/idempotent-requests.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const Body = named(
  "NewWebhook",
  Type.Object(
    {
      url: WebhookUrl,
      events: WebhookEvents,
      active: Type.Optional(Type.Boolean({ description: "Default: true.", examples: [true] })),
      filter: GivenFilter,
    },
    CLOSED,
  ),
);

const Created = named(
  "CreatedWebhook",
  Type.Object({ ...WebhookBody.properties, secret: Type.Optional(WebhookSecretBody) }),
);

export function createWebhook({ ledger, webhooks }: Pick<Deps, "ledger" | "webhooks">): Route {
  return route({
    summary: "Create a webhook",
    description:
      "Events stored after this response are delivered; events stored before the request are not. With `filter`, " +
      "only events that match it.",
    feature: "webhooks",
    body: Body,
    headers: OnceHeaders,
    success: { status: 201, body: dataOf(Created), headers: ONCE_HEADER },
    planLimit: "count",
    handle: async ({ admission, body, headers, signal }) => {
      const { filter: given } = body;
      const asked = askedOnce(headers, body);
      const call = (request: MessageInitShape<typeof CreateWebhookRequestSchema>) =>
        webhooks.createWebhook({ ...request, ...asked }, admittedBy(admission));
      const create = async () => {
        const filter = given && (await filterMessage({ ledger }, admission, given, signal));
        return call(toRequest(admission, body, filter));
      };
      const { accountId } = admission;
      const { replayed, secret, webhook } = await createdOnce(asked, create, () =>
        call({ accountId, replayOnly: true }),
      );
      const { created_at, ...rest } = renderWebhook(webhook);
      const data = { ...rest, ...(!replayed && { secret }), created_at };
      return { body: { data }, ...onceHeaders(replayed) };
    },
  });
}

function toRequest(
  { accountId, plan }: Admission,
  { url, events, active = true }: Static<typeof Body>,
  filter: WebhookFilter | null | undefined,
): MessageInitShape<typeof CreateWebhookRequestSchema> {
  return {
    accountId,
    url,
    events: [...new Set(events)],
    active,
    ...(filter && { filter }),
    ...(plan.maxWebhooks !== undefined && { maxWebhooks: plan.maxWebhooks }),
  };
}
