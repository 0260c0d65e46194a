// PUT /v1/retention (docs/lifecycle.md): sets how long the account's events are kept.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import {
  AskedArchive,
  AskedDays,
  renderRetention,
  RETENTION_MEMBERS,
  RetentionBody,
} from "./render-retention.ts";
import { CLOSED, named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const Body = named(
  "NewRetention",
  Type.Object(
    { days: AskedDays, archive: Type.Optional(AskedArchive) },
    { ...CLOSED, ...RETENTION_MEMBERS },
  ),
);

export function setRetention({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Set the retention of events",
    description:
      "A longer time takes effect at once, a shorter one after 7 days. The operator's audit records the change. Once " +
      "a day the service deletes older events, after an event `annals.retention` names the last of them. Their " +
      "hashes stay in the tree, so every proof stays valid. Retention stops before the first event of an active " +
      "hold, and never deletes the last event of the chain.",
    feature: "lifecycle",
    body: Body,
    success: { status: 200, body: dataOf(RetentionBody) },
    handle: async ({ admission, body: { archive, days }, signal }) => {
      const request = {
        accountId: admission.accountId,
        ...(days !== null && { days }),
        ...(archive !== undefined && { archive }),
      };
      const { retention } = await ledger.setRetention(request, admittedBy(admission, signal));
      return { body: { data: renderRetention(retention) } };
    },
  });
}
