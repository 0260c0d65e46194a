// DELETE /v1/widget-tokens/{id} (docs/open-details.md): ends a widget token, at once.

import { admittedBy } from "../../admission/admission.ts";
import { idIn } from "../../render/schema.ts";
import { WidgetTokenId } from "../../render/widget-token.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";

export function deleteWidgetToken({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Revoke a widget token",
    description:
      "Once this is answered, no request that begins later is accepted with the token. A token that another key has " +
      "made needs the scope keys:manage; otherwise it is a 404.",
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
