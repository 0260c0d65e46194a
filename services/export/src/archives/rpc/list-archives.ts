// ListArchives: a page of an account's archives, newest first.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import { keysetPage } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { listArchives as listArchivesStatement } from "../store/archives.ts";
import { renderArchive } from "./render-archive.ts";

interface Deps {
  readonly database: Pool;
}

export function listArchives(deps: Deps): ServiceImpl<typeof ExportsService>["listArchives"] {
  return async ({ accountId, limit, after }, { signal }) => {
    complete({ account_id: accountId });
    const database = deps.database.forAccount(accountId, signal);
    const { rows, next } = await keysetPage({ after, limit }, "arc_", (...params) =>
      database.run(listArchivesStatement, [accountId, ...params]),
    );
    return { archives: rows.map(renderArchive), next };
  };
}
