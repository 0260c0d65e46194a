// GET /v1/erasures/{id} (docs/lifecycle.md): how far an erasure is.

import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { ErasureBody, ErasureId, renderErasure } from "./render-erasure.ts";
import { idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function getErasure({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Get an erasure",
    feature: "lifecycle",
    params: idIn(ErasureId),
    success: { status: 200, body: dataOf(ErasureBody) },
    failures: [404],
    handle: async ({ admission, params, signal }) => {
      const request = { accountId: admission.accountId, id: params.id };
      const { erasure } = await ledger.getErasure(request, admittedBy(admission, signal));
      return { body: { data: renderErasure(erasure) } };
    },
  });
}
