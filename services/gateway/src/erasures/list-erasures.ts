// GET /v1/erasures (docs/lifecycle.md): a page of the account's erasures, newest first.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { ErasureBody, renderErasure } from "./render-erasure.ts";
import { DEFAULT_LIMIT, pageMembers, pageOf, renderPage } from "../render/page.ts";
import { CLOSED } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function listErasures({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "List erasures",
    feature: "lifecycle",
    query: Type.Object(pageMembers, CLOSED),
    success: { status: 200, body: pageOf("ErasurePage", ErasureBody) },
    handle: async ({ admission, query, signal }) => {
      const { limit = DEFAULT_LIMIT, cursor: after = "" } = query;
      const request = { accountId: admission.accountId, limit, after };
      const { erasures, next } = await ledger.listErasures(request, admittedBy(admission, signal));
      return { body: renderPage(erasures.map(renderErasure), next) };
    },
  });
}
