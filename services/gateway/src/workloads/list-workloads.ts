// GET /v1/workloads (docs/interface.md): a page of the account's workloads, newest first.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { largePageMembers, MAX_LIMIT, pageOf, renderPage } from "../render/page.ts";
import { CLOSED } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { renderWorkload, WorkloadBody } from "./render-workload.ts";

export function listWorkloads({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "List workloads",
    query: Type.Object(largePageMembers, CLOSED),
    success: { status: 200, body: pageOf("WorkloadPage", WorkloadBody) },
    handle: async ({ admission, query, signal }) => {
      const { limit = MAX_LIMIT, cursor: after = "" } = query;
      const request = { accountId: admission.accountId, limit, after };
      const response = await keys.listWorkloads(request, admittedBy(admission, signal));
      return { body: renderPage(response.workloads.map(renderWorkload), response.next) };
    },
  });
}
