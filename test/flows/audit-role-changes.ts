// The rows of audit-changes.ts of the roles of people, of workloads, of declared fields and of
// saved searches.

import type { Change } from "./audit-change.ts";

const PATH = "/v1/role-mappings";
const WORKLOADS = "/v1/workloads";

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
  {
    route: "create-workload",
    action: "annals.workload.created",
    make: async (client) => {
      const workload = {
        name: "private",
        issuer: "cluster",
        subject: "private",
        scopes: ["verify"],
      };
      const answer = await client.post(WORKLOADS, { ...workload, claims: { ref: "private" } });
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "delete-workload",
    action: "annals.workload.deleted",
    make: async (client, made) => {
      const id = made.get("create-workload") ?? "";
      return [await client.delete(`${WORKLOADS}/${id}`), id];
    },
  },
  {
    route: "create-search-field",
    action: "annals.search_field.created",
    make: async (client) => {
      const field = { path: "context.private", name: "private", type: "string" };
      const answer = await client.post("/v1/search/fields", field);
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "delete-search-field",
    action: "annals.search_field.deleted",
    make: async (client, made) => {
      const id = made.get("create-search-field") ?? "";
      return [await client.delete(`/v1/search/fields/${id}`), id];
    },
  },
  {
    route: "create-saved-search",
    action: "annals.saved_search.created",
    make: async (client) => {
      const search = { name: "private", filter: { actor_id: "private" } };
      const answer = await client.post("/v1/searches", search);
      return [answer, answer.body.data.id];
    },
  },
  {
    route: "update-saved-search",
    action: "annals.saved_search.updated",
    make: async (client, made) => {
      const id = made.get("create-saved-search") ?? "";
      return [await client.patch(`/v1/searches/${id}`, { name: "private" }), id];
    },
  },
  {
    route: "delete-saved-search",
    action: "annals.saved_search.deleted",
    make: async (client, made) => {
      const id = made.get("create-saved-search") ?? "";
      return [await client.delete(`/v1/searches/${id}`), id];
    },
  },
];
