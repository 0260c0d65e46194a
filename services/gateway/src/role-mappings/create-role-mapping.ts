// POST /v1/role-mappings (docs/interface.md): gives a role of the account to a group of an identity provider,
// or to one person.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import {
  Group,
  MappedRole,
  MAPPING_MEMBERS,
  ProviderName,
  renderRoleMapping,
  RoleMappingBody,
  Subject,
} from "./render-role-mapping.ts";

const Body = named(
  "NewRoleMapping",
  Type.Object(
    {
      provider: ProviderName,
      group: Type.Optional(Group),
      subject: Type.Optional(Subject),
      role: MappedRole,
    },
    { ...CLOSED, ...MAPPING_MEMBERS },
  ),
);

export function createRoleMapping({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Give a role to a group or a person",
    description:
      "Either `group` or `subject` is required. It is in force with the next request of whom it names.",
    body: Body,
    success: { status: 201, body: dataOf(RoleMappingBody) },
    planLimit: "count",
    handle: async ({ admission, body }) => {
      const { group = "", provider, role, subject = "" } = body;
      const request = { accountId: admission.accountId, provider, group, subject, role };
      const { roleMapping } = await keys.createRoleMapping(request, admittedBy(admission));
      return { body: { data: renderRoleMapping(roleMapping) } };
    },
  });
}
