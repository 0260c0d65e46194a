// GET /v1/retention (docs/lifecycle.md): how long the account's events are kept, and what is deleted.

import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { renderRetention, RetentionBody } from "./render-retention.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function getRetention({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Get the retention of events",
    feature: "lifecycle",
    success: { status: 200, body: dataOf(RetentionBody) },
    handle: async ({ admission, signal }) => {
      const request = { accountId: admission.accountId };
      const { retention } = await ledger.getRetention(request, admittedBy(admission, signal));
      return { body: { data: renderRetention(retention) } };
    },
  });
}
