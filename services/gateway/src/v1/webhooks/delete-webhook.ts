// DELETE /v1/webhooks/{id} (interface 3 and 4.3): deletes a webhook and its history permanently.

import { Type } from "typebox";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";

export function deleteWebhook({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Delete a webhook",
    description: "Once this is answered, no new delivery begins.",
    feature: "webhooks",
    params: Type.Object({ id: Type.String() }),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      await webhooks.deleteWebhook({ accountId: admission.accountId, id: params.id });
      return {};
    },
  });
}
