// The workloads that an account trusts. Called by rpc/list-workloads.ts, the admin API and the operator's
// commands.

import type { Database } from "@annals/postgres";
import { keysetPage } from "@annals/rpc";
import { allowedIpsOf } from "../store/api-key-row.ts";
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

/** As an operator sees it in JSON. */
export function workloadJson(row: WorkloadRow) {
  return { ...row, allowed_ips: row.allowed_ips && allowedIpsOf(row) };
}
