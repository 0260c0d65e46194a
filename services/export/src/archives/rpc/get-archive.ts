// GetArchive: one archive of an account.

import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import { archiveId } from "../rules/archive.ts";
import { getArchive as getArchiveStatement } from "../store/archives.ts";
import { renderArchive } from "./render-archive.ts";

interface Deps {
  readonly database: Pool;
}

export function getArchive(deps: Deps): ServiceImpl<typeof ExportsService>["getArchive"] {
  return async ({ accountId, id }, { signal }) => {
    complete({ account_id: accountId, id });
    const [row] = await deps.database
      .forAccount(accountId, signal)
      .run(getArchiveStatement, [accountId, archiveId(id)]);
    if (!row) throw notFound("archive", id);
    return { archive: renderArchive(row) };
  };
}
