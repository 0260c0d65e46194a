// Audit entries of role mappings. Called by the handlers and the operator's commands. A group and a subject
// are in them as a digest: both may name a person.

import type { AuditClientType } from "@annals/contract";
import { digestOf } from "../../accounts/rules/audit-entries.ts";

interface Mapping {
  readonly id: string;
  readonly provider: string;
  readonly group: string | null;
  readonly subject: string | null;
  readonly role: string;
}

export function roleMappingChange<const Verb extends "created" | "deleted">(
  verb: Verb,
  accountId: string,
  { group, id, provider, role, subject }: Mapping,
  by: {
    readonly actor: {
      readonly type: AuditClientType | "operator";
      readonly id?: string | undefined;
    };
    readonly occurredAt: string;
  },
) {
  const target = { type: "role_mapping", id };
  const holder = group === null ? digestOf("subject", subject) : digestOf("group", group);
  const metadata = { provider, role, ...holder };
  return { accountId, action: `annals.role_mapping.${verb}`, target, metadata, ...by } as const;
}
