// DELETE /v1/keys/{key_id} (interface 5): the other form of revoking a key.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { ApiKeyId } from "../api-keys/render-api-key.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function deleteKey({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Revoke an API key (other form)",
    params: Type.Object({ key_id: ApiKeyId }),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, id: params.key_id };
      await keys.deleteApiKey(request, admittedBy(admission));
      return {};
    },
  });
}
