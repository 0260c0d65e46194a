// GET /v1/webhooks (interface 9.1): a page of the account's webhooks, newest first, without their secrets.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { largePageMembers, MAX_LIMIT, pageOf, renderPage } from "../render/page.ts";
import { CLOSED } from "../render/schema.ts";
import { renderWebhook, WebhookBody } from "./render-webhook.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function listWebhooks({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "List webhooks",
    feature: "webhooks",
    query: Type.Object(largePageMembers, CLOSED),
    success: { status: 200, body: pageOf("WebhookPage", WebhookBody) },
    handle: async ({ admission, query, signal }) => {
      const { limit = MAX_LIMIT, cursor: after = "" } = query;
      const request = { accountId: admission.accountId, limit, after };
      const response = await webhooks.listWebhooks(request, admittedBy(admission, signal));
      return { body: renderPage(response.webhooks.map(renderWebhook), response.next) };
    },
  });
}
