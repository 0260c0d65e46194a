// GET /v1/role-mappings (docs/interface.md): a page of the account's role mappings, newest first.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { largePageMembers, MAX_LIMIT, pageOf, renderPage } from "../render/page.ts";
import { CLOSED } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { renderRoleMapping, RoleMappingBody } from "./render-role-mapping.ts";

export function listRoleMappings({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "List role mappings",
    query: Type.Object(largePageMembers, CLOSED),
    success: { status: 200, body: pageOf("RoleMappingPage", RoleMappingBody) },
    handle: async ({ admission, query, signal }) => {
      const { limit = MAX_LIMIT, cursor: after = "" } = query;
      const request = { accountId: admission.accountId, limit, after };
      const response = await keys.listRoleMappings(request, admittedBy(admission, signal));
      return { body: renderPage(response.roleMappings.map(renderRoleMapping), response.next) };
    },
  });
}
