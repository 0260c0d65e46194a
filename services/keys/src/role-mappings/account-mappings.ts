// The role mappings of an account. Called by rpc/list-role-mappings.ts and by the admin API.

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
