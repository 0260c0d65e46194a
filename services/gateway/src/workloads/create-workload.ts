// POST /v1/workloads (docs/interface.md): trusts the programs of an issuer that have a subject and some
// claims.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { ApiKeyName, apiKeyName } from "../api-keys/api-key-name.ts";
import { allowedIps } from "../api-keys/render-api-key.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import {
  Claims,
  IssuerName,
  renderWorkload,
  Subject,
  WORKLOAD_MEMBERS,
  WorkloadBody,
  WorkloadScopes,
} from "./render-workload.ts";

const Body = named(
  "NewWorkload",
  Type.Object(
    {
      name: ApiKeyName,
      issuer: IssuerName,
      subject: Subject,
      claims: Type.Optional(Claims),
      scopes: WorkloadScopes,
      allowed_ips: Type.Optional(allowedIps),
    },
    { ...CLOSED, ...WORKLOAD_MEMBERS },
  ),
);

export function createWorkload({ keys }: Pick<Deps, "keys">): Route {
  return route({
    summary: "Trust a workload",
    description:
      "A token of the issuer with this subject, these claims and the audience is admitted. Of several that it fits, the oldest counts.",
    body: Body,
    success: { status: 201, body: dataOf(WorkloadBody) },
    planLimit: "count",
    handle: async ({ admission, body }) => {
      const { allowed_ips: ips = [], claims = {}, issuer, scopes, subject } = body;
      const request = {
        accountId: admission.accountId,
        name: apiKeyName(body.name),
        issuer,
        subject,
        claims: Object.entries(claims).map(([name, value]) => ({ name, value })),
        scopes: [...new Set(scopes)],
        allowedIps: ips,
      };
      const { workload } = await keys.createWorkload(request, admittedBy(admission));
      return { body: { data: renderWorkload(workload) } };
    },
  });
}
