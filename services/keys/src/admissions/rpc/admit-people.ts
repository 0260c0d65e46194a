// The part of AdmitRequests that admits requests by access tokens of people. Called by admit-requests.ts. Its
// answers have no lease: what ends a session or a role ends it with the next request.

import { isRole, SCOPES_OF_ROLE } from "@annals/contract";
import { internal } from "@annals/errors";
import { Holder } from "@annals/proto/admission";
import { entryParams } from "../../identity/accepted-entries.ts";
import { type AccessAdmissionRow, admitAccessRequests } from "../store/admit-access-requests.ts";
import {
  type AccountLimits,
  type AdmitDeps,
  admitted,
  type Admitted,
  counts,
  type Group,
  paramsOf,
  planLimits,
} from "./admitted-groups.ts";

export async function admitPeople(
  groups: readonly Group[],
  accountLimits: AccountLimits,
  deps: AdmitDeps,
): Promise<Admitted> {
  if (groups.length === 0) return [];
  const limit = deps.personRateLimitPerMinute;
  const params = paramsOf(groups, limit, accountLimits);
  const providers = entryParams(deps.identities.current.people);
  const rows = await deps.database.run(admitAccessRequests, [...params, ...providers]);
  return admitted(groups, rows, deps, (row: AccessAdmissionRow) => {
    const { account_id: accountId, key_id: keyId, role, session_id: sessionId } = row;
    if (!isRole(role)) throw internal(`there is no role ${role}`);
    const subject = { accountId, keyId, scopes: [...SCOPES_OF_ROLE[role]], holder: Holder.PERSON };
    const allowed = { ...planLimits(deps.plans.of(row.plan)), sessionId };
    const statement = deps.admissions.issue({ ...subject, ...allowed }, row.expires_at);
    return { ...subject, statement, person: { limit, role }, ...counts(row, limit, deps) };
  });
}
