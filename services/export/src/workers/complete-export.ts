// Marks an export completed and puts export.completed into the outbox, in one transaction: both or
// neither, once a job.

import { type Clock, exportJson } from "@annals/contract";
import { internal } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import { appendOutbox, lockOutbox } from "../store/append-outbox.ts";
import { completeJob } from "../store/complete-job.ts";
import type { TakenRow } from "../store/take-job.ts";
import type { WrittenFile } from "./write-export.ts";
import { LeaseLost } from "./lease.ts";

const EVENT_NAME = "export.completed";

/**
 * Resolves to the position in the outbox. Rejects with {@link LeaseLost} where another replica
 * holds the job.
 */
export async function completeExport(
  { clock, database }: { readonly clock: Clock; readonly database: Pool },
  job: TakenRow,
  { file, eventCount, sha256, sizeBytes }: WrittenFile,
): Promise<bigint> {
  return database.transaction(async (transaction) => {
    const completedAt = clock.nowText();
    const [row] = await transaction.run(completeJob, [
      job.account_id,
      job.id,
      job.lease_token,
      completedAt,
      String(eventCount),
      sha256,
      String(sizeBytes),
      file,
    ]);
    if (!row) throw new LeaseLost("another replica holds the export");
    const data = exportJson({
      id: row.id,
      status: row.status,
      format: row.format,
      filterJson: row.filter_json,
      eventCount,
      sha256,
      sizeBytes,
      createdAt: row.created_at,
      completedAt,
    });
    await transaction.run(lockOutbox, [job.account_id]);
    const [entry] = await transaction.run(appendOutbox, [
      job.account_id,
      EVENT_NAME,
      data,
      completedAt,
    ]);
    if (!entry) throw internal("the outbox gave no position");
    return BigInt(entry.position);
  });
}
