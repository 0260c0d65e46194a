// Carries the checkpoints of the log to what anchors them: the witnesses of the policy, whose signatures the
// ledger verifies, a time stamping authority, and a bucket. Started by start-anchors.ts. Replicas claim an
// anchor by its time, so that each is asked once in an interval. A witness that fails must never keep another
// one waiting for longer than two requests, and an upload keeps none.

import { type Loop, reasonOf, startLoop } from "@annals/chassis";
import { AnnalsError } from "@annals/errors";
import type { WitnessTarget } from "../rules/witness-targets.ts";
import type { WITNESS_OUTCOMES } from "../../metrics.ts";
import { addCheckpoint, readView, type WitnessAddress, type WitnessAnswer } from "../witness.ts";
import { anchorRows, type AnchorsDeps, type AnchorWork, reportLag } from "./anchor-deps.ts";
import { BucketAnchor } from "./bucket-anchor.ts";
import { TimeStamps } from "./time-stamps.ts";
import {
  type AnchorRow,
  claimAnchor,
  failAnchor,
  moveAnchor,
  succeedAnchor,
} from "../store/anchors.ts";

const DELAY_MS = 2_000;
/** A witness that fails is asked again after as long as it has failed, and after these at most. */
const MAX_BACKOFF_S = 600;

type Outcome = (typeof WITNESS_OUTCOMES)[number];

export function startAnchors(deps: AnchorsDeps): Loop {
  const { bucket, log, metrics } = deps;
  const start = (name: string, run: (signal: AbortSignal) => Promise<void>) =>
    startLoop({ name, log, failures: metrics.failures, delayMs: DELAY_MS, run });
  const anchors = new Anchors(deps);
  const loops = [start("anchors", (signal) => anchors.run(signal))];
  if (bucket !== undefined) {
    const upload = new BucketAnchor({ ...deps, bucket });
    loops.push(start("bucket_anchor", (signal) => upload.run(signal)));
  }
  return {
    wake: () => loops.forEach((loop) => loop.wake()),
    stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))),
  };
}

class Anchors {
  readonly #deps: AnchorsDeps;
  readonly #timeStamps: TimeStamps;

  constructor(deps: AnchorsDeps) {
    this.#deps = deps;
    this.#timeStamps = new TimeStamps(deps);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { database, ledger, logTsaUrl, witnesses: targetsOf } = this.#deps;
    const targets = targetsOf();
    const isStamped = logTsaUrl !== undefined;
    if (targets.length === 0 && !isStamped) return;
    const names = targets.map(({ name }) => name);
    const due = (await anchorRows(database, "witness", names)).filter((row) => row.is_due);
    const witnesses = due.map(({ name, size }) => ({ name, oldSize: BigInt(size) }));
    const work = await ledger.listAnchorWork({ isStamped, witnesses }, { signal });
    if (targets.length > 0)
      reportLag(this.#deps, "witness", work.unservedSince, this.#deps.witnessIntervalS);
    const asked = due.flatMap((row) => {
      const target = targets.find(({ name }) => name === row.name);
      const isBehind = BigInt(row.size) !== work.size || row.is_failing;
      return target && isBehind && work.size > 0n ? [this.#ask(target, row, work, signal)] : [];
    });
    const failed = (await Promise.allSettled([...asked, this.#timeStamps.run(work, signal)])).find(
      ({ status }) => status === "rejected",
    );
    if (failed?.status === "rejected") throw failed.reason;
  }

  async #ask(
    { name, url }: WitnessTarget,
    row: AnchorRow,
    work: AnchorWork,
    signal: AbortSignal,
  ): Promise<void> {
    const { database, extraAuthorities, witnessIntervalS, metrics } = this.#deps;
    const claim = ["witness", name, row.size, witnessIntervalS] as const;
    if ((await database.run(claimAnchor, [...claim])).length === 0) return;
    // A witness that has seen more than there is answers with its size.
    const found = work.proofs.find((each) => each.name === name);
    const shown = {
      checkpoint: work.checkpoint,
      oldSize: found?.oldSize ?? 0n,
      proof: found?.hashes ?? [],
    };
    const address = { extraAuthorities, url };
    const answer = await addCheckpoint(address, shown, signal);
    if (signal.aborted) return;
    metrics.witnessRequests.inc({
      outcome: await this.#settle(name, shown.oldSize, work, answer),
    });
    if (claimsMore(answer, shown.oldSize, work.size)) await this.#prove(row, address, work, signal);
  }

  async #settle(
    name: string,
    oldSize: bigint,
    work: AnchorWork,
    answer: WitnessAnswer,
  ): Promise<Outcome> {
    const { database, witnessIntervalS } = this.#deps;
    const { checkpoint, size } = work;
    if (answer.outcome === "cosigned") {
      const isStored = await this.#store(name, work, answer.lines);
      if (!isStored) return "invalid";
      const success = [name, String(size), checkpoint, witnessIntervalS] as const;
      await database.run(succeedAnchor, ["witness", ...success]);
      return "cosigned";
    }
    if (answer.outcome === "conflict" && !claimsMore(answer, oldSize, size)) {
      await database.run(moveAnchor, ["witness", name, String(answer.seenSize)]);
      return "conflict";
    }
    const reason =
      answer.outcome === "conflict" ? `has seen the size ${answer.seenSize}` : answer.reason;
    await this.#fail(name, work, reason);
    return answer.outcome;
  }

  /** Hands the ledger what could prove the claim: what the witness has signed before, and its view. */
  async #prove(
    { checkpoint, name }: AnchorRow,
    address: WitnessAddress,
    work: AnchorWork,
    signal: AbortSignal,
  ): Promise<void> {
    const { ledger, log } = this.#deps;
    const [origin = ""] = work.checkpoint.split("\n", 1);
    const notes = checkpoint?.startsWith(`${origin}\n`) ? [checkpoint] : [];
    const unproven = (reason: string): void =>
      log.warn({ witness: name, reason }, "a witness has shown no checkpoint of the log");
    try {
      notes.push(await readView(address, origin, signal));
    } catch (error) {
      unproven(reasonOf(error));
    }
    for (const value of notes)
      try {
        await ledger.addAnchor({ log: work.log, anchor: { case: "seenCheckpoint", value } });
      } catch (error) {
        if (!(error instanceof AnnalsError) || error.kind !== "invalid") throw error;
        unproven(error.message);
      }
  }

  /** Resolves to whether the ledger has taken the signatures. */
  async #store(name: string, { log, size }: AnchorWork, lines: string): Promise<boolean> {
    const anchor = { case: "cosignatures", value: lines } as const;
    try {
      await this.#deps.ledger.addAnchor({ log, size, anchor });
      return true;
    } catch (error) {
      if (!(error instanceof AnnalsError) || error.kind !== "invalid") throw error;
      await this.#fail(name, { size }, error.message);
      return false;
    }
  }

  async #fail(name: string, { size }: Pick<AnchorWork, "size">, reason: string): Promise<void> {
    const { database, log, witnessIntervalS } = this.#deps;
    const backoff = [witnessIntervalS, Math.max(MAX_BACKOFF_S, witnessIntervalS)] as const;
    await database.run(failAnchor, ["witness", name, ...backoff]);
    log.warn({ witness: name, size: Number(size), reason }, "a witness has not signed");
  }
}

/**
 * Whether the witness says that the log does not have what it has seen. Any witness can say so: it stops
 * nothing without a checkpoint that the log has signed.
 */
function claimsMore(answer: WitnessAnswer, oldSize: bigint, size: bigint): boolean {
  if (answer.outcome === "inconsistent") return true;
  return answer.outcome === "conflict" && (answer.seenSize === oldSize || answer.seenSize > size);
}
