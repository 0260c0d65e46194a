// DELETE /v1/role-mappings/{id} (docs/interface.md): takes back what a role mapping gives, at once.

import { admittedBy } from "../admission/admission.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { RoleMappingId } from "./render-role-mapping.ts";

export function deleteRoleMapping({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Delete a role mapping",
    description:
      "Effective immediately: a request that begins after this response does not have the role.",
    params: idIn(RoleMappingId),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, id: params.id };
      await keys.deleteRoleMapping(request, admittedBy(admission));
      return {};
    },
  });
}
