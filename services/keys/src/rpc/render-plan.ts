// A plan as proto: what the gateway needs to know of it. The rest is signed, in the statement of admission.

import type { PlanSchema } from "@annals/proto/keys";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Plan } from "../domain/plan.ts";

export function renderPlan(plan: Plan): MessageInitShape<typeof PlanSchema> {
  const { maxExportBytes: _signed, monthlyEvents, featuresLeftOut, ...rest } = plan;
  return {
    ...rest,
    featuresLeftOut: [...featuresLeftOut],
    ...(monthlyEvents !== undefined && { monthlyEvents: BigInt(monthlyEvents) }),
  };
}
