// DELETE /v1/webhooks/{id} (interface 9.1): deletes a webhook and its history permanently.

import { admittedBy } from "../admission/admission.ts";
import { idIn } from "../render/schema.ts";
import { WebhookId } from "./render-webhook.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function deleteWebhook({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Delete a webhook",
    description: "Effective immediately: no delivery begins after this response.",
    feature: "webhooks",
    params: idIn(WebhookId),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, id: params.id };
      await webhooks.deleteWebhook(request, admittedBy(admission));
      return {};
    },
  });
}
