// The part of AdmitRequests that admits requests by tokens of workloads. Called by admit-requests.ts. Its
// answers have no lease: what ends a workload or its issuer ends it with the next request.

import { Holder } from "@annals/proto/admission";
import { allowedIpsOf } from "../../store/api-key-row.ts";
import { entryParams } from "../../identity/accepted-entries.ts";
import {
  admitWorkloadRequests,
  type WorkloadAdmissionRow,
} from "../store/admit-workload-requests.ts";
import {
  type AdmitDeps,
  admitted,
  type Admitted,
  type Counting,
  counts,
  type Group,
  planLimits,
  programParams,
} from "./admitted-groups.ts";

export async function admitWorkloads(
  groups: readonly Group[],
  counting: Counting,
  deps: AdmitDeps,
): Promise<Admitted> {
  const params = programParams(groups, counting);
  const issuers = entryParams(deps.identities.current.workloads);
  const rows = await deps.database.run(admitWorkloadRequests, [...params, ...issuers]);
  return admitted(groups, rows, deps, (row: WorkloadAdmissionRow) => {
    const { account_id: accountId, key_id: keyId, scopes } = row;
    const subject = { accountId, keyId, scopes: [...scopes], holder: Holder.WORKLOAD };
    const shown = {
      ...subject,
      allowedIps: allowedIpsOf(row),
      ...counts(row, counting.limit, deps),
    };
    // As with a key: without a statement no service does anything for it.
    if (!row.is_allowed) return shown;
    const allowed = planLimits(deps.plans.of(row.plan));
    return {
      ...shown,
      statement: deps.admissions.issue({ ...subject, ...allowed }, row.expires_at),
    };
  });
}
