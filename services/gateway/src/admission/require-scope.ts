// Scopes (interface 2): each operation needs one, and the refusal names it.

import { isPermitted, type Permission } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import { Holder } from "@annals/proto/admission";
import type { Admission } from "./admission.ts";

/** Throws `scope_missing` (403) if the key, the workload, or the role of the person, lacks `scope`. */
export function requireScope(
  { holder, person, scopes }: Pick<Admission, "holder" | "person" | "scopes">,
  scope: Permission,
): void {
  if (isPermitted(scopes, scope)) return;
  const message = person
    ? `This operation needs the scope ${scope}. Your role is ${person.role}.`
    : `This operation needs a ${holder === Holder.WORKLOAD ? "workload" : "key"} with the scope ${scope}.`;
  throw new AnnalsError("scope_missing", message);
}
