// A turn of one sink: reads the events after the cursor, sends them in batches, and moves the cursor after
// each one that the receiver has acknowledged. Called by sinks.ts with a sink that this process has claimed.
// It must never move the cursor before the acknowledgement: a crash sends the same batch again.

import { SINK_TYPES, type SinkConfig } from "@annals/interface";
import type { Clock } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import {
  backoffS,
  Filling,
  isBucket,
  limitsOf,
  MAX_AGE_MS,
  MAX_FILL_MS,
} from "../rules/sink-batches.ts";
import type { LostRange } from "../rules/sink.ts";
import { gapRecord, type SinkRecord } from "../rules/sink-record.ts";
import { type Refusal, type Rejected, rejectedOf } from "../rules/sink-refusals.ts";
import type { Metrics } from "../../metrics.ts";
import type { Producers } from "../../outbound/producers.ts";
import { sinkEvents, type SinkLedger, type SinkPage } from "../receiver/sink-events.ts";
import type { SinkBatch, SinkReceiver, SinkResult } from "../receiver/sink-receiver.ts";
import type { ClaimedSink, SinkOwner } from "./claimed-sink.ts";
import { RENEWAL_MS, SinkCursor } from "./sink-cursor.ts";

export interface SinkRunDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly ledger: SinkLedger;
  readonly metrics: Pick<Metrics, "sinkBatches" | "sinkEvents" | "sinkSkipped">;
  /** Shows a clock that nothing steps, by which ages are measured. */
  readonly monotonicMs: () => number;
  /** The earliest time of statements (store/moment.ts). */
  readonly now: () => string;
  readonly openReceiver: (config: SinkConfig, owner: SinkOwner) => SinkReceiver;
  readonly producers: Pick<Producers, "positions" | "retainedFrom">;
}

/**
 * A turn ends with the first batch that is sent after this time: sinks of other accounts get theirs, and what
 * was read ahead does not grow old.
 */
const MAX_TURN_MS = 5_000;

/** The record of a skip is never passed over itself, or each would be followed by another one. */
const SKIPPED_ACTION = "annals.sink.skipped";

/** Ends a turn early. */
class TurnOver extends Error {
  readonly waitS: number;
  readonly keepsBounds: boolean;

  constructor(waitS: number, keepsBounds = true) {
    super("the turn is over");
    this.waitS = waitS;
    this.keepsBounds = keepsBounds;
  }
}

/** Ends a turn whose claim has ended: it was released, or another process or the owner has the sink. */
class ClaimOver extends Error {
  /** Whether the sink has more to do at once. */
  readonly hasMore: boolean;

  constructor(hasMore = false) {
    super("the claim is over");
    this.hasMore = hasMore;
  }
}

export class SinkRun {
  readonly #deps: SinkRunDeps;
  readonly #sink: ClaimedSink;
  readonly #cursor: SinkCursor;
  readonly #receiver: SinkReceiver;
  readonly #beganMs: number;
  readonly #signal: AbortSignal;
  #filling: Filling;
  #batch: SinkBatch | undefined;

  constructor(deps: SinkRunDeps, sink: ClaimedSink, signal: AbortSignal) {
    this.#deps = deps;
    this.#sink = sink;
    this.#signal = signal;
    this.#cursor = new SinkCursor(deps, sink);
    this.#receiver = deps.openReceiver(sink.config, sink.owner);
    this.#beganMs = this.#nowMs();
    this.#filling = this.#newFilling();
  }

  /** Resolves to whether the sink has more to do at once. */
  async run(): Promise<boolean> {
    // A failure shows in the next write, which finds that the claim has ended.
    const renewal = setInterval(() => void this.#cursor.renew().catch(() => {}), RENEWAL_MS);
    try {
      const hasMore = await this.#send();
      await this.#cursor.release(hasMore ? 0 : limitsOf(this.#sink.type).intervalS);
      return hasMore;
    } catch (error) {
      if (error instanceof ClaimOver) return error.hasMore && !this.#signal.aborted;
      if (!(error instanceof TurnOver)) throw error;
      await this.#cursor.release(error.waitS, error.keepsBounds);
      return error.waitS === 0 && !this.#signal.aborted;
    } finally {
      clearInterval(renewal);
      this.#batch?.discard();
      this.#receiver.close();
    }
  }

  /** Ends the claim after a failure inside: the sink is due again after a time. */
  async release(waitS: number): Promise<void> {
    await this.#cursor.release(waitS);
  }

  async #send(): Promise<boolean> {
    const { account_id: accountId, pending_to: pendingTo } = this.#sink;
    const [positions] = await this.#deps.producers.positions([accountId], ["events"]);
    const head = Number(positions?.events ?? 0n);
    const to = pendingTo === null ? head : Number(pendingTo);
    for (const range of this.#cursor.untold) await this.#tell(range);
    try {
      for await (const page of this.#pages(to)) await this.#take(page);
    } catch (error) {
      if (!(error instanceof AnnalsError) || error.kind !== "not_found") throw error;
      await this.#skipLost(error);
      return true;
    }
    await this.#flush(Math.max(to, this.#cursor.position));
    return to < head;
  }

  #pages(to: number): AsyncIterable<SinkPage> {
    const { filter, leave_out: leaveOut } = this.#sink;
    const after = this.#cursor.position;
    const selection = {
      ...this.#cursor.recordOptions,
      filter: filter === null ? null : JSON.parse(filter),
      leaveOut,
      after,
      to,
    };
    return to > after ? sinkEvents(this.#deps.ledger, selection, this.#signal) : nothing();
  }

  async #take({ reached, records }: SinkPage): Promise<void> {
    let piece: SinkRecord[] = [];
    for (const record of records) {
      if (!this.#filling.takes(record)) {
        await this.#add(piece);
        piece = [];
        await this.#flush((record.sequenceNumber ?? 1) - 1);
      }
      piece.push(record);
      this.#filling.add(record);
    }
    await this.#add(piece);
    const isSlow = this.#nowMs() - this.#filling.sinceMs >= MAX_FILL_MS;
    // A batch that was begun before a crash has the same bounds again.
    if (isSlow && this.#cursor.pendingTo === undefined) await this.#flush(reached);
  }

  async #add(piece: readonly SinkRecord[]): Promise<void> {
    if (piece.length === 0) return;
    this.#batch ??= this.#receiver.open(this.#cursor.batchOptions);
    await this.#batch.add(piece);
  }

  /** Sends what the batch has, moves the cursor to a number, and ends the turn if that failed. */
  async #flush(to: number): Promise<void> {
    const filling = this.#filling;
    const checkpoint = this.#cursor.checkpointUpTo(to, filling);
    if (checkpoint) await this.#add([checkpoint]);
    const batch = this.#batch;
    const count = { count: filling.count, hasCheckpoint: checkpoint !== undefined };
    if (!batch) {
      if (to > this.#cursor.position)
        await this.#moved(this.#cursor.move(to, { ...count, filling }));
    } else {
      const result = await this.#sendBatch(batch, to, checkpoint !== undefined);
      if (result === "skipped") return this.#tellSkipped();
      await this.#moved(this.#cursor.move(to, { ...count, filling, result }));
      this.#deps.metrics.sinkEvents.inc({ type: this.#sink.type }, filling.count);
    }
    this.#begin();
    if (this.#nowMs() - this.#beganMs >= MAX_TURN_MS) throw new TurnOver(0);
  }

  #begin(): void {
    this.#batch?.discard();
    this.#batch = undefined;
    this.#filling = this.#newFilling();
  }

  async #sendBatch(
    batch: SinkBatch,
    to: number,
    hasCheckpoint: boolean,
  ): Promise<SinkResult | "skipped"> {
    const { type } = this.#sink;
    if (isBucket(type) && this.#cursor.pendingTo === undefined)
      await this.#moved(this.#cursor.begin(to));
    // An erasure counts on it that what was read before it is not sent much later.
    if (this.#nowMs() - this.#beganMs > MAX_AGE_MS) throw new TurnOver(0, false);
    const result = await batch.send(this.#signal);
    const { outcome } = result;
    if (outcome === "abandoned") throw new TurnOver(0);
    this.#deps.metrics.sinkBatches.inc({ type, outcome });
    if (outcome === "accepted") return result;
    const rejected = await this.#rejected(result.refusal, hasCheckpoint);
    if (rejected && (await this.#skips(rejected))) return "skipped";
    const waitS = backoffS(this.#sink.attempts, result.retryAfterS);
    await this.#cursor.fail(result.error ?? `The attempt failed: ${outcome}.`, waitS, rejected);
    throw new ClaimOver();
  }

  /**
   * The one event that the receiver refuses for good. A batch with others ends the claim: a smaller one is
   * next.
   */
  async #rejected(
    refusal: Refusal | undefined,
    hasCheckpoint: boolean,
  ): Promise<Rejected | undefined> {
    const { events } = this.#filling;
    const [event] = events;
    if (!refusal || !event || !SINK_TYPES[this.#sink.type].refusesEvents) return undefined;
    if (events.length > 1 || hasCheckpoint) {
      await this.#cursor.narrow(refusal, this.#filling);
      throw new ClaimOver(true);
    }
    return refusal.status === null ? undefined : rejectedOf(event, refusal);
  }

  async #skips(rejected: Rejected): Promise<boolean> {
    const { last } = this.#filling;
    if (this.#sink.on_rejected !== "skip" || last?.action === SKIPPED_ACTION) return false;
    await this.#moved(this.#cursor.skip(rejected));
    this.#deps.metrics.sinkSkipped.inc({ type: this.#sink.type });
    return true;
  }

  /**
   * A receiver that refuses everything refuses this, too: no other event is passed over before it is taken.
   */
  async #tellSkipped(): Promise<void> {
    this.#begin();
    for (const range of this.#cursor.untold) await this.#tell(range);
  }

  /** Tells the receiver which events it is never sent. */
  async #tell(range: LostRange): Promise<void> {
    const { recordOptions } = this.#cursor;
    const now = this.#deps.clock.nowText();
    await this.#add([gapRecord(this.#sink.id, range, now, recordOptions)]);
    this.#cursor.told(range);
    await this.#flush(Math.max(range.to, this.#cursor.position));
  }

  /** Tells the receiver which events retention has deleted, and goes on behind them. */
  async #skipLost(error: AnnalsError): Promise<void> {
    const { account_id: accountId } = this.#sink;
    const next = BigInt(this.#cursor.position + 1);
    const retainedFrom = await this.#deps.producers.retainedFrom(accountId, next);
    if (retainedFrom === undefined) throw error;
    this.#begin();
    const [from, to] = [Number(next), Number(retainedFrom) - 1];
    const range: LostRange = { from, to, reason: "retention" };
    this.#cursor.addLost(range);
    await this.#tell(range);
  }

  async #moved(write: Promise<boolean>): Promise<void> {
    if (!(await write)) throw new ClaimOver();
  }

  #newFilling(): Filling {
    return new Filling(this.#sink.type, this.#nowMs(), this.#cursor.limits);
  }

  #nowMs(): number {
    return this.#deps.monotonicMs();
  }
}

async function* nothing(): AsyncGenerator<SinkPage> {}
