// DeleteExport: deletes an export permanently. An export that is being written is cancelled. The sweep
// deletes the files (workers/export-sweep.ts).

import type { Clock } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import type { ServiceImpl } from "@connectrpc/connect";
import { exportId } from "../domain/export-id.ts";
import { deleteExport as deleteExportStatement } from "../store/delete-export.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Database;
  /** Called when an export was deleted. */
  readonly onDeleted: () => void;
}

export function deleteExport(deps: Deps): ServiceImpl<typeof ExportsService>["deleteExport"] {
  return async ({ accountId, id }) => {
    complete({ account_id: accountId, id });
    const params = [accountId, exportId(id), deps.clock.nowText()] as const;
    const [row] = await deps.database.run(deleteExportStatement, [...params]);
    if (!row) throw notFound("export", id);
    deps.onDeleted();
    return {};
  };
}
