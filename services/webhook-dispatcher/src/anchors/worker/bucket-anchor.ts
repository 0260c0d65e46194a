// Keeps the head log in a bucket under object lock: each hour the checkpoint that is served, after all tiles
// and entries that it needs. Run by anchors.ts. A checkpoint must never be stored before its files.

import { reasonOf } from "@annals/chassis";
import type { LockedBucket } from "../locked-bucket.ts";
import { claimAnchor, failAnchor, moveAnchor, succeedAnchor } from "../store/anchors.ts";
import { anchorRows, type AnchorsDeps, BACKOFF_S, reportLag } from "./anchor-deps.ts";
import { LogUpload } from "./log-upload.ts";

/** An attempt ends before its claim does. */
const ATTEMPT_MS = 300_000;
const CLAIM_S = 600;

type BucketDeps = AnchorsDeps & { readonly bucket: LockedBucket };

export class BucketAnchor {
  readonly #deps: BucketDeps;
  #isChecked = false;

  constructor(deps: BucketDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { bucket, database } = this.#deps;
    if (!this.#isChecked) await this.#checkAtStart(signal);
    const { log, unlockedSince } = await this.#listWork(signal);
    if (unlockedSince === "") return;
    // A log that follows another has none of its files yet.
    const name = `${bucket.name}/${log}`;
    const [row] = await anchorRows(database, "bucket", [name]);
    if (row?.is_due !== true) return;
    const claimed = await database.run(claimAnchor, ["bucket", name, row.size, CLAIM_S]);
    if (claimed.length === 0) return;
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]);
      await this.#store(log, name, Number(row.size), within);
      await this.#listWork(signal);
    } catch (error) {
      if (signal.aborted) return;
      await database.run(failAnchor, ["bucket", name, ...BACKOFF_S]);
      this.#report(reasonOf(error));
    }
  }

  async #listWork(signal: AbortSignal) {
    const { bucket, ledger, logAnchorIntervalS } = this.#deps;
    const work = await ledger.listAnchorWork({ bucket: bucket.name }, { signal });
    reportLag(this.#deps, "bucket", work.unlockedSince, logAnchorIntervalS);
    return work;
  }

  /** Says at once what keeps the bucket from being an anchor. An upload checks it again. */
  async #checkAtStart(signal: AbortSignal): Promise<void> {
    const fault = await this.#deps.bucket.check(signal).catch(reasonOf);
    if (fault !== undefined && !signal.aborted) this.#report(fault);
    this.#isChecked = true;
  }

  /** `begun`: the size up to which full tiles are there. */
  async #store(log: number, name: string, begun: number, signal: AbortSignal): Promise<void> {
    const { bucket, database, databaseMicros, ledger, logAnchorIntervalS } = this.#deps;
    const fault = await bucket.check(signal);
    if (fault !== undefined) throw new Error(fault);
    const nowMicros = databaseMicros();
    const upload = new LogUpload({ bucket, ledger, log, nowMicros });
    const { checkpoint, size, version } = await upload.run(begun, signal, (full) =>
      database.run(moveAnchor, ["bucket", name, String(full)]),
    );
    const value = { bucket: bucket.name, checkpoint, version, retainUntil: upload.retainUntil };
    await ledger.addAnchor(
      { log, size: BigInt(size), anchor: { case: "locked", value } },
      { signal },
    );
    // The size is 0 again, because the checkpoint in the bucket says from now on how far it is.
    await database.run(succeedAnchor, ["bucket", name, "0", checkpoint, logAnchorIntervalS]);
  }

  #report(reason: string): void {
    const { bucket, log } = this.#deps;
    log.error({ bucket: bucket.name, reason }, "the bucket keeps no checkpoint of the log");
  }
}
