// DELETE /v1/workloads/{id} (docs/interface.md): trusts a workload no longer, at once.

import { admittedBy } from "../admission/admission.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { WorkloadId } from "./render-workload.ts";

export function deleteWorkload({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Delete a workload",
    description:
      "Effective immediately: a request with one of its tokens that begins after this response is refused.",
    params: idIn(WorkloadId),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, id: params.id };
      await keys.deleteWorkload(request, admittedBy(admission));
      return {};
    },
  });
}
