// GET /v1/widget/log (docs/evidence.md): how far the log of evidence covers the account, for a widget token.

import type { Covered } from "@annals/proto/ledger";
import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { NullableCovered, renderCovered, WidgetCoveredBody } from "../log/render-log.ts";
import { named, Nullable } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const WidgetLogBody = named(
  "WidgetLog",
  Type.Object({
    log_origin: Nullable(Type.String({ examples: ["annals.example.com"] }), {
      description: "Of the head log. Null if the service keeps no log.",
    }),
    covered: NullableCovered(WidgetCoveredBody),
  }),
);

export function getWidgetLog({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Get how far the log covers the events",
    success: { status: 200, body: dataOf(WidgetLogBody) },
    handle: async ({ admission, signal }) => {
      const request = { accountId: admission.accountId };
      const found = await ledger.getWidgetLog(request, admittedBy(admission, signal));
      const data = {
        log_origin: found.logOrigin === "" ? null : found.logOrigin,
        covered: found.covered ? renderWidgetCovered(found.covered) : null,
      };
      return { body: { data } };
    },
  });
}

function renderWidgetCovered(covered: Covered) {
  const { witnesses, ...rest } = renderCovered(covered);
  return { ...rest, witness_count: witnesses.length };
}
