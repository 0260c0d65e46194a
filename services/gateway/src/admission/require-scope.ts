// Scopes (interface 2): each operation needs one, and the refusal names it.

import { isPermitted, type Permission } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { Admission } from "./admission.ts";

/** Throws `scope_missing` (403) if the key lacks `scope`. */
export function requireScope({ scopes }: Pick<Admission, "scopes">, scope: Permission): void {
  if (isPermitted(scopes, scope)) return;
  throw new AnnalsError("scope_missing", `This operation needs a key with the scope ${scope}.`);
}
