// GET /v1/widget/log (docs/evidence.md): how far the log of evidence covers the account, for a widget token.

import { Type } from "typebox";
import { admittedBy } from "../../admission/admission.ts";
import { dataOf } from "../../render/data.ts";
import { NullableCovered, renderCovered, WidgetCoveredBody } from "../../render/log.ts";
import { named } from "../../render/schema.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";

const WidgetLogBody = named(
  "WidgetLog",
  Type.Object({ covered: NullableCovered(WidgetCoveredBody) }),
);

export function getWidgetLog({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Get how far the log covers the events",
    description: "`covered` is null if the service keeps no log, too.",
    success: { status: 200, body: dataOf(WidgetLogBody) },
    handle: async ({ admission, signal }) => {
      const request = { accountId: admission.accountId };
      const { covered } = await ledger.getWidgetLog(request, admittedBy(admission, signal));
      if (covered === undefined) return { body: { data: { covered: null } } };
      const { witnesses, ...rest } = renderCovered(covered);
      return { body: { data: { covered: { ...rest, witness_count: witnesses.length } } } };
    },
  });
}
