// Works on exports: takes a job, writes its file, completes it and publishes a notice. Started by
// serve.ts. A failed attempt is retried by any replica, with backoff and a bounded number of times, unless
// the storage refuses the file for a reason that stays. A job whose room other exports of the account have
// reserved is put back, once. A replica that crashes loses its lease, and another writes the file from the
// beginning. It must never complete a job without its lease.

import {
  AccountWork,
  activeSpan,
  endWith,
  failSpan,
  idsOf,
  inTrace,
  type Logger,
  type Loop,
  type Span,
  startChild,
  startLoop,
} from "@annals/chassis";
import type { Clock } from "@annals/contract";
import type { NoticePublisher } from "@annals/messaging";
import type { Pool } from "@annals/postgres";
import { freeBytes } from "../store/free-bytes.ts";
import { renewLease } from "../store/renew-lease.ts";
import { releaseJob } from "../store/release-job.ts";
import { listWaitingAccounts } from "../store/list-waiting-accounts.ts";
import { lockAccount } from "../store/lock-account.ts";
import { takeJob, type TakenRow } from "../store/take-job.ts";
import { completeExport } from "./complete-export.ts";
import { type Lease, LeaseLost, withLease } from "../lease.ts";
import { NoRoom, RoomReserved } from "../reserve.ts";
import { NoEvents, NotCovered } from "../write-bundle.ts";
import { LostEvents } from "../../outbound/read-events.ts";
import { StorageRefused } from "../../storage/storage.ts";
import { fileStem, type WriteDeps, writeExport } from "./write-export.ts";

export interface WorkerDeps extends WriteDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly log: Logger;
  readonly notices: Pick<NoticePublisher, "notify">;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly pollIntervalMs: number;
  readonly maxAttempts: number;
}

/** Delay before the first retry. Each further delay is twice as long. */
const FIRST_RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 300_000;

/** Accounts that one poll tries. */
const MAX_ACCOUNTS = 100;

/** Jobs whose requests are recorded; the oldest are forgotten first. */
const MAX_TRACED = 1_000;

export class ExportWorker {
  readonly #deps: WorkerDeps;
  /** One for each concurrency slot. */
  readonly #loops: readonly Loop[];
  readonly #work: AccountWork;
  /** Span of the request that queued a job here, by job: the attempts of this replica are a part of it. */
  readonly #origins = new Map<string, Span>();
  /** The idle loop that polls; the other idle ones wait until a loop has found a job. */
  #poller: number | undefined;

  /** Begins to work. */
  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#work = new AccountWork(deps.log, "exports");
    this.#loops = Array.from({ length: deps.concurrency }, (_, loop) =>
      startLoop({
        name: "exports",
        log: deps.log,
        failures: deps.metrics.failures,
        delayMs: deps.pollIntervalMs,
        run: (signal) => this.#run(loop, signal),
      }),
    );
  }

  /** Called when a job was queued: idle loops poll at once. */
  wake(jobId: string): void {
    const span = activeSpan();
    if (span) this.#origins.set(jobId, idsOf(span));
    const [oldest] = this.#origins.size > MAX_TRACED ? this.#origins.keys() : [];
    if (oldest !== undefined) this.#origins.delete(oldest);
    this.#wakeAll();
  }

  /** Releases the running jobs. Resolves when no job is running. */
  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  #wakeAll(): void {
    for (const loop of this.#loops) loop.wake();
  }

  /** Works on at most one job; the next poll follows it at once. */
  async #run(loop: number, signal: AbortSignal): Promise<number> {
    const { database, pollIntervalMs } = this.#deps;
    if (this.#poller === loop) this.#poller = undefined;
    const run = this.#work.begin(signal);
    const list = () => database.run(listWaitingAccounts, [MAX_ACCOUNTS]);
    let job: TakenRow | undefined;
    await run.each(await run.list("", list), async ({ account_id: accountId }) => {
      // Another worker was faster, or the account must wait for its other export: try the next account.
      job ??= await this.#take(accountId);
    });
    if (!job) {
      // A run that fails is retried soon, and may poll then.
      run.end();
      this.#poller ??= loop;
      return this.#poller === loop ? pollIntervalMs : Infinity;
    }
    // More may wait, and another loop must poll meanwhile.
    this.#wakeAll();
    await this.#trace(job, signal);
    return 0;
  }

  /** Works on the job, as a part of the request that queued it. */
  async #trace(job: TakenRow, signal: AbortSignal): Promise<void> {
    const origin = this.#origins.get(job.id);
    const span = origin && startChild("write-export", origin);
    await endWith(
      span,
      inTrace(span, () => this.#attempt(job, signal)),
    );
  }

  async #take(accountId: string): Promise<TakenRow | undefined> {
    const { database, leaseMs } = this.#deps;
    return database.forAccount(accountId).transaction(async (transaction) => {
      await transaction.run(lockAccount, [accountId]);
      const [job] = await transaction.run(takeJob, [accountId, leaseMs]);
      return job;
    });
  }

  /** Never rejects. */
  async #attempt(job: TakenRow, signal: AbortSignal): Promise<void> {
    const { metrics } = this.#deps;
    metrics.running.inc();
    try {
      await this.#writeAndComplete(job, signal);
      metrics.attempts.inc({ outcome: "completed" });
      this.#origins.delete(job.id);
    } catch (error) {
      const outcome = await this.#release(job, error, signal.aborted);
      metrics.attempts.inc({ outcome });
      const span = activeSpan();
      if (span) failSpan(span, outcome);
    } finally {
      metrics.running.dec();
    }
  }

  async #writeAndComplete(job: TakenRow, stop: AbortSignal): Promise<void> {
    const { log, notices, storage } = this.#deps;
    // An attempt counts when it begins, so those of crashed processes are counted too.
    if (job.attempts > this.#deps.maxAttempts)
      throw new Error("the process crashed in every attempt");
    const position = await withLease(this.#deps, this.#leaseOf(job), stop, async (signal) => {
      await storage.keepOnly(fileStem(job), undefined);
      const written = await writeExport(this.#deps, job, signal);
      const at = await completeExport(this.#deps, job, written).catch(async (error: unknown) => {
        // After a lost lease the file belongs to no job. After another failure it may be the completed file.
        if (error instanceof LeaseLost) await storage.keepOnly(written.file, undefined);
        throw error;
      });
      log.info(
        { export_id: job.id, events: written.eventCount, bytes: written.sizeBytes },
        "export completed",
      );
      return at;
    });
    notices.notify({ kind: "exports", accountId: job.account_id, position });
  }

  #leaseOf({ account_id: accountId, id, lease_token: token }: TakenRow): Lease {
    const { database, leaseMs } = this.#deps;
    const renew = async () =>
      (await database.run(renewLease, [accountId, id, token, leaseMs])).length > 0;
    return { name: "the export", fields: { export_id: id }, renew };
  }

  /** Releases a job for a retry, or as failed for good. Resolves to the outcome. Never rejects. */
  async #release(job: TakenRow, error: unknown, isStopping: boolean): Promise<string> {
    const { database, log, maxAttempts, storage } = this.#deps;
    const fields = { export_id: job.id, attempt: job.attempts, err: error };
    if (error instanceof LeaseLost) {
      log.warn(fields, "export lease lost: another replica holds it, or it was deleted");
      return "lease_lost";
    }
    const hasNoRoom = error instanceof NoRoom;
    const hasNoEvents = error instanceof NoEvents;
    const hasLostEvents = error instanceof LostEvents;
    // A second time counts as failed: the account writes one at a time, so something was left behind.
    const isPutBack = error instanceof RoomReserved && !job.waits_for_room;
    const countAttempt = !isStopping && !isPutBack;
    const isNotCovered = error instanceof NotCovered;
    const isRefused = error instanceof StorageRefused;
    const isOfAccount = hasNoRoom || hasNoEvents || hasLostEvents;
    const isLast = isRefused || job.attempts >= maxAttempts;
    const isFinal = isOfAccount || (countAttempt && isLast);
    // This is caused by the account, so it is not logged as an error of the service.
    if (hasNoRoom) log.info(fields, "export failed: its account has reached its limit of bytes");
    else if (hasNoEvents) log.info(fields, "export failed: the log covers no event of it");
    else if (hasLostEvents) log.info(fields, "export failed: retention has deleted events of it");
    else if (isFinal && isNotCovered)
      log.warn(
        fields,
        "export failed: the log does not cover an erasure of its events; create it again",
      );
    else if (isFinal) {
      this.#deps.metrics.failed.inc();
      log.error(fields, "export failed");
    }
    if (isPutBack)
      log.info(fields, "export requeued: other exports of its account have reserved the space");
    else if (!isFinal && !isStopping) log.warn(fields, "export attempt failed");
    const backoffMs = Math.min(FIRST_RETRY_DELAY_MS * 2 ** (job.attempts - 1), MAX_RETRY_DELAY_MS);
    const delayMs = isStopping ? 0 : backoffMs;
    try {
      const { account_id: account, id, lease_token: token } = job;
      const status = isFinal ? "failed" : "pending";
      const params = [account, id, token, status, delayMs, countAttempt, isPutBack] as const;
      const [released] = await database.run(releaseJob, [...params]);
      // The work may fail before the renewal notices that the lease is lost. After a lost commit
      // acknowledgement the job may be completed with this file.
      if (!released) return "lease_lost";
      await storage.keepOnly(fileStem(job), undefined);
      await database.run(freeBytes, [account, id, token]);
    } catch (cause) {
      log.warn({ ...fields, err: cause }, "failed to release the export: its lease will expire");
    }
    if (hasNoRoom) return "no_room";
    if (hasNoEvents) return "no_events";
    if (isNotCovered) return "not_covered";
    if (hasLostEvents) return "lost_events";
    if (isPutBack) return "put_back";
    if (isRefused) return "storage_refused";
    return isStopping ? "stopped" : "failed";
  }
}
