// Features that an account's plan can leave out (interface 7, docs/open-details.md). A route that belongs
// to one says so with `feature`; the hook asks here, after the scope.

import type { Feature } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { Admission } from "./admission.ts";

/** Throws `plan_feature_unavailable` (403) when the account's plan leaves `feature` out. */
export function requireFeature({ plan }: Admission, feature: Feature): void {
  if (!plan.featuresLeftOut.includes(feature)) return;
  throw new AnnalsError(
    "plan_feature_unavailable",
    `The plan ${plan.name} does not include ${feature}.`,
  );
}
