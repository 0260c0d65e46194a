// The role mappings of an account. Called by rpc/list-role-mappings.ts, the admin API and the operator's
// commands.

import type { Database } from "@annals/postgres";
import { keysetPage } from "@annals/rpc";
import { listRoleMappings } from "./store/list-role-mappings.ts";
import type { RoleMappingRow } from "./store/role-mapping-row.ts";

/** A page, newest first. `next` is empty behind the last one. */
export function listAccountMappings(
  database: Database,
  accountId: string,
  page: { readonly limit: number; readonly after: string },
): Promise<{ readonly rows: readonly RoleMappingRow[]; readonly next: string }> {
  return keysetPage(page, "rmap_", (...params) =>
    database.run(listRoleMappings, [accountId, ...params]),
  );
}

/** As an operator sees it in JSON. */
export function mappingJson({ group_name: group, subject, ...row }: RoleMappingRow) {
  return { ...row, group, subject };
}
