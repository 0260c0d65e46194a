// Features that an account's plan can exclude (interface 4). Called by hook.ts, after
// the scope, for a route that names a `feature`.

import type { Feature } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { Admission } from "./admission.ts";

/** Throws `plan_feature_unavailable` (403) if the account's plan excludes `feature`. */
export function requireFeature({ plan }: Admission, feature: Feature): void {
  if (!plan.featuresLeftOut.includes(feature)) return;
  throw new AnnalsError(
    "plan_feature_unavailable",
    `The plan ${plan.name} does not include ${feature}.`,
  );
}
