// Has the newest checkpoint of the log stamped by a time stamping authority now and then, and hands the
// answer to the ledger, which verifies that it is of this checkpoint. Called by anchors.ts. Replicas claim
// the authority by its time, so that it is asked once in an interval.

import { reasonOf } from "@annals/chassis";
import { askForTimeStamp } from "../timestamp.ts";
import { claimAnchor, failAnchor, succeedAnchor } from "../store/anchors.ts";
import {
  anchorRows,
  type AnchorsDeps,
  type AnchorWork,
  BACKOFF_S,
  reportLag,
} from "./anchor-deps.ts";

const NONCE_BYTES = 8;

export class TimeStamps {
  readonly #deps: AnchorsDeps;

  constructor(deps: AnchorsDeps) {
    this.#deps = deps;
  }

  async run(work: AnchorWork, signal: AbortSignal): Promise<void> {
    const { database, logAnchorIntervalS, logTsaUrl } = this.#deps;
    if (logTsaUrl === undefined) return;
    reportLag(this.#deps, "timestamp", work.unstampedSince, logAnchorIntervalS);
    const url = new URL(logTsaUrl);
    const [row] = await anchorRows(database, "timestamp", [url.host]);
    const size = row?.size ?? "0";
    if (work.size === 0n || BigInt(size) === work.size) return;
    const claim = ["timestamp", url.host, size, logAnchorIntervalS] as const;
    if ((await database.run(claimAnchor, [...claim])).length > 0)
      await this.#stamp(url, work, signal);
  }

  async #stamp(
    url: URL,
    { checkpoint, log, size }: AnchorWork,
    signal: AbortSignal,
  ): Promise<void> {
    const { database, extraAuthorities, ledger, logAnchorIntervalS, random } = this.#deps;
    const name = url.host;
    const nonce = Buffer.from(random(NONCE_BYTES));
    // A positive integer that begins with no zero.
    nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
    try {
      const token = await askForTimeStamp({ extraAuthorities, url }, checkpoint, nonce, signal);
      const anchor = { case: "timeStamp", value: { name, token, nonce } } as const;
      await ledger.addAnchor({ log, size, anchor });
      const success = [name, String(size), checkpoint, logAnchorIntervalS] as const;
      await database.run(succeedAnchor, ["timestamp", ...success]);
    } catch (error) {
      if (signal.aborted) return;
      await database.run(failAnchor, ["timestamp", name, ...BACKOFF_S]);
      const reason = reasonOf(error);
      this.#deps.log.warn(
        { authority: name, size: Number(size), reason },
        "no time stamp was made",
      );
    }
  }
}
