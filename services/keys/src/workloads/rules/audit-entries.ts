// Audit entries of workloads. Called by the handlers. The name, the subject and the claims are in them as
// digests: a client chose them, and each may name a person.

import type { AuditClientType } from "@annals/contract";
import { digestOf } from "../../accounts/rules/audit-entries.ts";

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, string>>;
  readonly scopes: readonly string[];
  readonly allowedIps: readonly string[] | null;
}

export function workloadChange<const Verb extends "created" | "deleted">(
  verb: Verb,
  accountId: string,
  { allowedIps, claims, id, issuer, name, scopes, subject }: Shown,
  by: {
    readonly actor: {
      readonly type: AuditClientType | "operator";
      readonly id?: string | undefined;
    };
    readonly occurredAt: string;
  },
) {
  const target = { type: "workload", id };
  const metadata = {
    issuer,
    scopes,
    ...digestOf("name", name),
    ...digestOf("subject", subject),
    ...(Object.keys(claims).length > 0 && digestOf("claims", claims)),
    ...(allowedIps !== null && digestOf("allowed_ips", [...allowedIps])),
  };
  return { accountId, action: `annals.workload.${verb}`, target, metadata, ...by } as const;
}
