// The workloads that an account trusts. Called by rpc/list-workloads.ts and by the admin API.

import type { Database } from "@annals/postgres";
import { keysetPage } from "@annals/rpc";
import { listWorkloads } from "./store/list-workloads.ts";
import type { WorkloadRow } from "./store/workload-row.ts";

/** A page, newest first. `next` is empty behind the last one. */
export function listAccountWorkloads(
  database: Database,
  accountId: string,
  page: { readonly limit: number; readonly after: string },
): Promise<{ readonly rows: readonly WorkloadRow[]; readonly next: string }> {
  return keysetPage(page, "wkl_", (...params) =>
    database.run(listWorkloads, [accountId, ...params]),
  );
}
