// DeleteExport: deletes an export permanently. An export that is being written is cancelled. The sweep
// deletes the files (worker/export-sweep.ts).

import type { Clock } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { exportId } from "../rules/export-id.ts";
import { AUDIT } from "../../store/audit.ts";
import { deleteExport as deleteExportStatement } from "../store/delete-export.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  /** Called when an export was deleted. */
  readonly onDeleted: () => void;
}

export function deleteExport(deps: Deps): ServiceImpl<typeof ExportsService>["deleteExport"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    const actor = actorOf(context);
    const occurredAt = deps.clock.nowText();
    const params = [accountId, exportId(id), occurredAt, actor.id ?? null] as const;
    const database = deps.database.forAccount(accountId, context.signal);
    await database.transaction(async (transaction) => {
      const [row] = await transaction.run(deleteExportStatement, [...params]);
      if (!row) throw notFound("export", id);
      const target = { type: "export", id };
      const action = "annals.export.deleted";
      await AUDIT.add(transaction, { accountId, action, actor, target, occurredAt });
    });
    deps.onDeleted();
    return {};
  };
}
