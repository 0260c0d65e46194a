// DELETE /v1/widget-tokens/{id} (docs/interface.md): ends a widget token, at once.

import { admittedBy } from "../admission/admission.ts";
import { idIn } from "../render/schema.ts";
import { WidgetTokenId } from "./render-widget-token.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function deleteWidgetToken({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Revoke a widget token",
    description:
      "Effective immediately: a request that begins after this response is refused. To revoke a token of another key " +
      "needs the scope keys:manage; without it the response is 404.",
    params: idIn(WidgetTokenId),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, id: params.id };
      await keys.deleteWidgetToken(request, admittedBy(admission));
      return {};
    },
  });
}
