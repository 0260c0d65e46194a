// GET /v1/holds (docs/lifecycle.md): a page of the active holds on the account's events, newest first.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { HoldBody, renderHold } from "./render-hold.ts";
import { DEFAULT_LIMIT, pageMembers, pageOf, renderPage } from "../render/page.ts";
import { CLOSED } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function listHolds({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "List holds",
    description: "Active holds, newest first: those of the account and those of the operator.",
    feature: "lifecycle",
    query: Type.Object(pageMembers, CLOSED),
    success: { status: 200, body: pageOf("HoldPage", HoldBody) },
    handle: async ({ admission, query, signal }) => {
      const { limit = DEFAULT_LIMIT, cursor: after = "" } = query;
      const request = { accountId: admission.accountId, limit, after };
      const { holds, next } = await ledger.listHolds(request, admittedBy(admission, signal));
      return { body: renderPage(holds.map(renderHold), next) };
    },
  });
}
