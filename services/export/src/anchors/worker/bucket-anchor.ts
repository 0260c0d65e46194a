// Keeps the head log in a bucket under object lock: each hour the checkpoint that is served, after all tiles
// and entries that it needs. Started by serve.ts. Replicas claim the bucket by its time, so that one of them
// uploads. A checkpoint must never be stored before its files, and no export waits for the bucket.

import { type Loop, type Logger, startLoop } from "@annals/chassis";
import type { DatabaseClock } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { parseCheckpoint, parseNote } from "@annals/tlog";
import type { Metrics } from "../../metrics.ts";
import type { LockedBucket } from "../locked-bucket.ts";
import {
  claimAnchor,
  createAnchor,
  failAnchor,
  moveAnchor,
  succeedAnchor,
} from "../store/anchors.ts";
import { type BucketLedger, LogUpload } from "./log-upload.ts";

const DELAY_MS = 2_000;
/** An attempt ends before its claim does. */
const ATTEMPT_MS = 300_000;
const CLAIM_S = 600;
/** After a failure it is tried again after as long as it has failed, within these bounds. */
const BACKOFF_S = [60, 600] as const;

export interface BucketAnchorDeps {
  readonly bucket: LockedBucket;
  readonly clock: DatabaseClock;
  readonly database: Database;
  readonly ledger: BucketLedger;
  readonly log: Logger;
  readonly logS3IntervalS: number;
  readonly logS3LockDays: number;
  readonly metrics: Pick<Metrics, "anchorLag" | "failures">;
}

type AnchorWork = Awaited<ReturnType<BucketLedger["listAnchorWork"]>>;

export function startBucketAnchor(deps: BucketAnchorDeps): Loop {
  const anchor = new BucketAnchor(deps);
  return startLoop({
    name: "bucket_anchor",
    log: deps.log,
    failures: deps.metrics.failures,
    delayMs: DELAY_MS,
    run: (signal) => anchor.run(signal),
  });
}

class BucketAnchor {
  readonly #deps: BucketAnchorDeps;
  #isChecked = false;

  constructor(deps: BucketAnchorDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { bucket, database, ledger, logS3IntervalS } = this.#deps;
    if (!this.#isChecked) await this.#checkAtStart(signal);
    const work = await ledger.listAnchorWork({ bucket: bucket.name }, { signal });
    this.#reportLag(work);
    if (work.unlockedSince === "") return;
    await database.run(createAnchor, [work.log, bucket.name]);
    const [claim] = await database.run(claimAnchor, [work.log, bucket.name, CLAIM_S]);
    if (claim === undefined) return;
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]);
      await this.#store(work.log, Number(claim.size), within);
      await database.run(succeedAnchor, [work.log, bucket.name, logS3IntervalS]);
      this.#reportLag(await ledger.listAnchorWork({ bucket: bucket.name }, { signal }));
    } catch (error) {
      if (signal.aborted) return;
      await this.#fail(work.log, error);
    }
  }

  /** Says at once what keeps the bucket from being an anchor. An upload checks it again. */
  async #checkAtStart(signal: AbortSignal): Promise<void> {
    const { bucket } = this.#deps;
    try {
      const fault = await bucket.check(signal);
      if (fault !== undefined) this.#report(fault);
    } catch (error) {
      if (!signal.aborted) this.#report(reasonOf(error));
    }
    this.#isChecked = true;
  }

  async #store(log: number, begun: number, signal: AbortSignal): Promise<void> {
    const { bucket, clock, database, ledger, logS3LockDays } = this.#deps;
    const fault = await bucket.check(signal);
    if (fault !== undefined) throw new Error(fault);
    const lockDays = logS3LockDays;
    const upload = new LogUpload({ bucket, ledger, lockDays, log, nowMicros: clock.nowMicros() });
    const { checkpoint, version } = await upload.run(begun, signal, (size) =>
      database.run(moveAnchor, [log, bucket.name, String(size)]),
    );
    const { size } = parseCheckpoint(parseNote(checkpoint).text);
    const value = { bucket: bucket.name, checkpoint, version, retainUntil: upload.retainUntil };
    await ledger.addAnchor(
      { log, size: BigInt(size), anchor: { case: "locked", value } },
      { signal },
    );
  }

  async #fail(log: number, error: unknown): Promise<void> {
    const { bucket, database } = this.#deps;
    await database.run(failAnchor, [log, bucket.name, ...BACKOFF_S]);
    this.#report(reasonOf(error));
  }

  #report(reason: string): void {
    const { bucket, log } = this.#deps;
    log.error({ bucket: bucket.name, reason }, "the bucket keeps no checkpoint of the log");
  }

  /** A served epoch waits for the next upload as long as an interval; beyond that it is late. */
  #reportLag({ unlockedSince }: AnchorWork): void {
    const { clock, logS3IntervalS, metrics } = this.#deps;
    const waited = clock.nowMicros() / 1e6 - Date.parse(unlockedSince) / 1e3;
    const lag = unlockedSince === "" ? 0 : Math.max(0, waited - logS3IntervalS);
    metrics.anchorLag.set({ kind: "bucket" }, lag);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
