// The rows of audit-changes.ts of the roles of people.

import type { Change } from "./audit-change.ts";

const PATH = "/v1/role-mappings";

export const ROLE_CHANGES: readonly Change[] = [
  {
    route: "create-role-mapping",
    action: "annals.role_mapping.created",
    make: async (client) => {
      const mapping = { provider: "okta", group: "private", role: "viewer" };
      const answer = await client.post(PATH, mapping);
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "delete-role-mapping",
    action: "annals.role_mapping.deleted",
    make: async (client, made) => {
      const id = made.get("create-role-mapping") ?? "";
      return [await client.delete(`${PATH}/${id}`), id];
    },
  },
];
