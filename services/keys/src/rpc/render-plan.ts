// A plan as proto.

import type { PlanSchema } from "@annals/proto/keys";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Plan } from "../domain/plan.ts";

export function renderPlan(plan: Plan): MessageInitShape<typeof PlanSchema> {
  const { monthlyEvents, featuresLeftOut, ...rest } = plan;
  return {
    ...rest,
    featuresLeftOut: [...featuresLeftOut],
    ...(monthlyEvents !== undefined && { monthlyEvents: BigInt(monthlyEvents) }),
  };
}
