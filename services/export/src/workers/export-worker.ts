// Works on exports for as long as the process runs: takes a job, writes its file, marks it
// completed, tells of it. What fails is tried again after a pause, by any replica, a bounded number
// of times. A replica that dies loses its lease, and another writes the file from the beginning.

import type { Logger } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import type { NoticePublisher } from "@annals/messaging";
import type { Pool } from "@annals/postgres";
import { setTimeout as pause } from "node:timers/promises";
import { releaseJob } from "../store/release-job.ts";
import { takeJob, type TakenRow } from "../store/take-job.ts";
import { completeExport } from "./complete-export.ts";
import { LeaseLost, withLease } from "./lease.ts";
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

/** Pause after the first failed attempt; each further one is twice as long. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 300_000;

export class ExportWorker {
  readonly #deps: WorkerDeps;
  readonly #stop = new AbortController();
  readonly #lanes: Promise<void>[] = [];
  #waiting = new AbortController();

  /** Begins to work. */
  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    for (let lane = 0; lane < deps.concurrency; lane += 1) this.#lanes.push(this.#work());
  }

  /** Says that there may be work: idle lanes look at once. */
  wake(): void {
    this.#waiting.abort();
    this.#waiting = new AbortController();
  }

  /** Gives the jobs under way back, and resolves when nothing is. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#lanes);
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const woken = this.#waiting.signal;
      const job = await this.#take();
      if (job) await this.#attempt(job);
      else {
        const either = AbortSignal.any([signal, woken]);
        await pause(this.#deps.pollIntervalMs, undefined, { signal: either }).catch(() => {});
      }
    }
  }

  async #take(): Promise<TakenRow | undefined> {
    try {
      const [job] = await this.#deps.database.run(takeJob, [this.#deps.leaseMs]);
      return job;
    } catch (error) {
      this.#deps.log.warn({ err: error }, "exports could not be taken");
      return undefined;
    }
  }

  async #attempt(job: TakenRow): Promise<void> {
    const { metrics } = this.#deps;
    metrics.running.inc();
    try {
      await this.#writeAndComplete(job);
      metrics.attempts.inc({ outcome: "completed" });
    } catch (error) {
      metrics.attempts.inc({ outcome: await this.#giveBack(job, error) });
    } finally {
      metrics.running.dec();
    }
  }

  async #writeAndComplete(job: TakenRow): Promise<void> {
    const { log, notices, storage } = this.#deps;
    // An attempt that ended without a word (a killed process) counted when it began.
    if (job.attempts > this.#deps.maxAttempts)
      throw new Error("every attempt ended without a word");
    const position = await withLease(this.#deps, job, this.#stop.signal, async (signal) => {
      await storage.keepOnly(fileStem(job), undefined);
      const written = await writeExport(this.#deps, job, signal);
      const at = await completeExport(this.#deps, job, written).catch(async (error: unknown) => {
        // The file of a job that is another's now is nobody's. Any other failure leaves open whose it is.
        if (error instanceof LeaseLost) await storage.keepOnly(written.file, undefined);
        throw error;
      });
      log.info(
        { exportId: job.id, events: written.eventCount, bytes: written.sizeBytes },
        "export completed",
      );
      return at;
    });
    notices.notify({ kind: "exports", accountId: job.account_id, position });
  }

  /** Resolves to the outcome of the attempt. */
  async #giveBack(job: TakenRow, error: unknown): Promise<string> {
    const { database, log, maxAttempts, storage } = this.#deps;
    const fields = { exportId: job.id, attempt: job.attempts, err: error };
    if (error instanceof LeaseLost) {
      log.warn(fields, "export lost to another replica");
      return "lease_lost";
    }
    const stopped = this.#stop.signal.aborted;
    const final = !stopped && job.attempts >= maxAttempts;
    if (final) log.error(fields, "export failed");
    else if (!stopped) log.warn(fields, "export attempt failed");
    const pauseMs = stopped ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (job.attempts - 1), MAX_PAUSE_MS);
    try {
      const { account_id: account, id, lease_token: token } = job;
      const status = final ? "failed" : "pending";
      const params = [account, id, token, status, pauseMs, !stopped] as const;
      const [released] = await database.run(releaseJob, [...params]);
      // Only where the job was still ours: a commit whose answer was lost may have completed it
      // with this very file.
      if (released) await storage.keepOnly(fileStem(job), undefined);
    } catch (cause) {
      log.warn({ ...fields, err: cause }, "export not given back: its lease runs out");
    }
    return stopped ? "stopped" : "failed";
  }
}
