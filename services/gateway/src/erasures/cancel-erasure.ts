// DELETE /v1/erasures/{id} (docs/lifecycle.md): withdraws an erasure that has not begun.

import { admittedBy } from "../admission/admission.ts";
import { ErasureId } from "./render-erasure.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function cancelErasure({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Cancel an erasure",
    description:
      "Returns 422 for an erasure that has begun or is completed. One that was cancelled stays so.",
    feature: "lifecycle",
    params: idIn(ErasureId),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, id: params.id };
      await ledger.cancelErasure(request, admittedBy(admission));
      return {};
    },
  });
}
