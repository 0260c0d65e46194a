// Deletes exports: marks those beyond their retention as deleted, then deletes the files and the rows of all
// that are marked. Any number of replicas may do it at once. A row goes last: a sweep that stops half-way
// leaves what the next one finds.

import {
  AccountRun,
  AccountWork,
  type Counter,
  inPieces,
  type Logger,
  type Loop,
  startLoop,
} from "@annals/chassis";
import { type DatabaseClock, formatMicros } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { Storage } from "../../storage/storage.ts";
import { AUDIT } from "../../store/audit.ts";
import { deleteExport } from "../store/delete-export.ts";
import { listDeletedJobs } from "../store/list-deleted-jobs.ts";
import { listExpiredJobs } from "../store/list-expired-jobs.ts";
import { removeJob } from "../store/remove-job.ts";
import { fileStem } from "./write-export.ts";

export interface SweepDeps {
  readonly clock: DatabaseClock;
  readonly database: Pool;
  readonly storage: Pick<Storage, "keepOnly">;
  readonly swept: Pick<Counter<"kind">, "inc">;
  /** Days after which an export expires; 0: never. */
  readonly retentionDays: number;
}

const INTERVAL_MS = 60_000;
/** Maximum rows of one statement. */
const PIECE = 100;
const MICROS_PER_DAY = 86_400_000_000;

/** Starts the sweep. Wake it after an export was deleted. */
export function startExportSweep(
  deps: SweepDeps & { readonly log: Logger; readonly failures: Counter<"worker"> },
): Loop {
  const name = "export_sweep";
  const work = new AccountWork(deps.log, name);
  return startLoop({
    name,
    log: deps.log,
    failures: deps.failures,
    delayMs: INTERVAL_MS,
    run: (signal) => sweepExports(deps, work.begin(signal)),
  });
}

/**
 * Deletes all exports that are due now. Goes on with the others if one cannot be deleted: the failure is
 * thrown at the end. Ends early if the signal of the run is aborted.
 */
export async function sweepExports(deps: SweepDeps, run = new AccountRun()): Promise<void> {
  if (deps.retentionDays > 0) await markExpired(deps, run);
  await removeDeleted(deps, run);
  run.end();
}

async function markExpired(
  { clock, database, retentionDays }: SweepDeps,
  run: AccountRun,
): Promise<void> {
  const createdBefore = formatMicros(clock.nowMicros() - retentionDays * MICROS_PER_DAY);
  let after: [string, string, string] = ["", "", ""];
  const markPiece = async (): Promise<number> => {
    const expired = await run.list(["expired", ...after].join(), () =>
      database.run(listExpiredJobs, [createdBefore, ...after, PIECE]),
    );
    await run.each(expired, (job) => markDeleted(database, job, clock.nowText()));
    const last = expired.at(-1);
    if (last) after = [last.created_at, last.account_id, last.id];
    return expired.length;
  };
  await inPieces(PIECE, markPiece, run.signal);
}

/** Deletes an export for the service, with its audit entry. The next run deletes its files. */
export async function markDeleted(
  database: Pool,
  { account_id: accountId, id }: { readonly account_id: string; readonly id: string },
  occurredAt: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const [row] = await transaction.run(deleteExport, [accountId, id, occurredAt, null]);
    // Another replica, or the account, has already marked it.
    if (!row) return;
    const actor = { type: "service", id: "export" } as const;
    const target = { type: "export", id };
    const action = "annals.export.deleted";
    await AUDIT.add(transaction, { accountId, action, actor, target, occurredAt });
  });
}

async function removeDeleted(
  { database, storage, swept }: SweepDeps,
  run: AccountRun,
): Promise<void> {
  let after: [string, string] = ["", ""];
  const removePiece = async (): Promise<number> => {
    const deleted = await run.list(["deleted", ...after].join(), () =>
      database.run(listDeletedJobs, [...after, PIECE]),
    );
    await run.each(deleted, async (job) => {
      await storage.keepOnly(fileStem(job), undefined);
      const [removed] = await database.run(removeJob, [job.account_id, job.id]);
      if (removed) swept.inc({ kind: "exports" });
    });
    const last = deleted.at(-1);
    if (last) after = [last.account_id, last.id];
    return deleted.length;
  };
  await inPieces(PIECE, removePiece, run.signal);
}
