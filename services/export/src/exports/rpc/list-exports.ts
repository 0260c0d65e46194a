// ListExports: a page of an account's exports, newest first.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import { keysetPage } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { listJobs } from "../store/list-jobs.ts";
import { renderExport } from "./render-export.ts";

interface Deps {
  readonly database: Pool;
}

export function listExports(deps: Deps): ServiceImpl<typeof ExportsService>["listExports"] {
  return async ({ accountId, limit, after }, { signal }) => {
    complete({ account_id: accountId });
    const { rows, next } = await keysetPage({ after, limit }, "exp_", (...params) =>
      deps.database.forAccount(accountId, signal).run(listJobs, [accountId, ...params]),
    );
    return { exports: rows.map(renderExport), next };
  };
}
