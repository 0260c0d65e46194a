// GetExport: one export of an account.

import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import { exportId } from "../rules/export-id.ts";
import { getJob } from "../store/get-job.ts";
import { renderExport } from "./render-export.ts";

interface Deps {
  readonly database: Pool;
}

export function getExport(deps: Deps): ServiceImpl<typeof ExportsService>["getExport"] {
  return async ({ accountId, id }, { signal }) => {
    complete({ account_id: accountId, id });
    const [row] = await deps.database
      .forAccount(accountId, signal)
      .run(getJob, [accountId, exportId(id)]);
    if (!row) throw notFound("export", id);
    return { export: renderExport(row) };
  };
}
