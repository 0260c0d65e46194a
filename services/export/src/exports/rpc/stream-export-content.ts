// StreamExportContent: the file of a completed export, in chunks. The next chunk is read when the connection
// has taken the one before, so that a slow reader costs no memory. The reader is recorded before the first
// chunk of each request: a request with a later offset can be a download that leaves out the beginning.

import { AnnalsError, complete, invalid, notFound } from "@annals/errors";
import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { ExportsService } from "@annals/proto/exports";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { exportId } from "../rules/export-id.ts";
import type { Storage } from "../../storage/storage.ts";
import { AUDIT } from "../../store/audit.ts";
import { getJob } from "../store/get-job.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly storage: Storage;
}

export function streamExportContent(
  deps: Deps,
): ServiceImpl<typeof ExportsService>["streamExportContent"] {
  return async function* ({ accountId, id, offset }, context) {
    complete({ account_id: accountId, id });
    const database = deps.database.forAccount(accountId, context.signal);
    const [row] = await database.run(getJob, [accountId, exportId(id)]);
    if (!row) throw notFound("export", id);
    if (row.file === null || row.size_bytes === null) {
      throw new AnnalsError("not_found", `The export ${id} is ${row.status}: it has no content.`);
    }
    if (offset < 0n || offset > BigInt(row.size_bytes)) {
      throw invalid({ field: "offset", message: "must be within the file" });
    }
    if (offset === BigInt(row.size_bytes)) return;
    const actor = actorOf(context);
    const occurredAt = deps.clock.nowText();
    await database.transaction((transaction) =>
      AUDIT.add(transaction, {
        accountId,
        action: "annals.export.downloaded",
        actor,
        target: { type: "export", id },
        metadata: { offset: String(offset) },
        occurredAt,
      }),
    );
    const { signal } = context;
    for await (const chunk of await deps.storage.read(row.file, Number(offset), signal)) {
      yield { chunk };
    }
  };
}
