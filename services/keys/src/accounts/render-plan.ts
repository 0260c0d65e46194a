// A plan as proto: what the gateway needs to know of it. The rest is signed, in the statement of admission,
// or is what the ledger asks for.

import type { PlanSchema } from "@annals/proto/keys";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Plan } from "./rules/plan.ts";

export function renderPlan(plan: Plan): MessageInitShape<typeof PlanSchema> {
  const { maxExportBytes: _signed, monthlyEvents, featuresLeftOut, ...all } = plan;
  const {
    archive: _archive,
    archiveDays: _end,
    intakeRequestsPerMinute: _counted,
    ...others
  } = all;
  const { minRetentionDays: _shortest, retentionDays: _longest, ...more } = others;
  const { eventsExportedPerDay: _exported, eventsReplayedPerDay: _replayed, ...rest } = more;
  return {
    ...rest,
    featuresLeftOut: [...featuresLeftOut],
    ...(monthlyEvents !== undefined && { monthlyEvents: BigInt(monthlyEvents) }),
  };
}
