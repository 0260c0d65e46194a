// DELETE /v1/holds/{id} (docs/lifecycle.md): ends a hold of the account.

import { admittedBy } from "../admission/admission.ts";
import { HoldId } from "./render-hold.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function releaseHold({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Release a hold",
    description:
      "The chain records it as another event `annals.hold`. Returns 422 for a hold of the operator, and 404 for one " +
      "that was released.",
    feature: "lifecycle",
    params: idIn(HoldId),
    success: { status: 204 },
    failures: [404],
    handle: async ({ admission, params }) => {
      const request = { accountId: admission.accountId, id: params.id };
      await ledger.releaseHold(request, admittedBy(admission));
      return {};
    },
  });
}
