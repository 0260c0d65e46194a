// DELETE /v1/api-keys/{id} (interface 5): revokes a key permanently, at once.

import { admittedBy } from "../admission/admission.ts";
import { ApiKeyId } from "./render-api-key.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function deleteApiKey({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Revoke an API key",
    description: "Effective immediately: a request that begins after this response is refused.",
    params: idIn(ApiKeyId),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, id: params.id };
      await keys.deleteApiKey(request, admittedBy(admission));
      return {};
    },
  });
}
