// Marks an export completed and puts export.completed into the outbox, in one transaction: both or neither,
// once per job.

import { type Clock, exportJson } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { EventFilterSchema } from "@annals/proto/ledger";
import { fromBinary } from "@bufbuild/protobuf";
import { returnedEvents } from "../rules/export-limits.ts";
import { completeJob } from "../store/complete-job.ts";
import { returnDailyUse } from "../store/return-daily-use.ts";
import { OUTBOX } from "../store/outbox.ts";
import type { TakenRow } from "../store/take-job.ts";
import type { WrittenFile } from "./write-export.ts";
import { LeaseLost } from "../lease.ts";

const EVENT_NAME = "export.completed";

/**
 * Resolves to the position in the outbox. Rejects with {@link LeaseLost} if another replica holds the job, or
 * it was deleted.
 */
export async function completeExport(
  { clock, database }: { readonly clock: Clock; readonly database: Pool },
  job: TakenRow,
  { file, eventCount, sha256, sizeBytes }: WrittenFile,
): Promise<bigint> {
  return database.forAccount(job.account_id).transaction(async (transaction) => {
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
    if (!row) throw new LeaseLost("another replica holds the export, or it was deleted");
    const returned = returnedEvents(fromBinary(EventFilterSchema, job.filter), eventCount);
    if (returned > 0n) {
      const day = job.created_at.slice(0, "YYYY-MM-DD".length);
      await transaction.run(returnDailyUse, [job.account_id, day, String(returned)]);
    }
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
    const entry = {
      accountId: job.account_id,
      eventName: EVENT_NAME,
      data,
      createdAt: completedAt,
    };
    return OUTBOX.add(transaction, entry);
  });
}
