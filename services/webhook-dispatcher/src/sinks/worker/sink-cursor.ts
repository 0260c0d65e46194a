// How far a claimed sink is, and what moves it. Called by sink-run.ts. Each write names the claim, and
// resolves to whether the claim still holds.

import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import {
  type BatchLimits,
  CHECKPOINT_EVENTS,
  CHECKPOINT_S,
  type Filling,
  isBucket,
  limitsOf,
} from "../rules/sink-batches.ts";
import { sinkChange, skippedEntry } from "../rules/audit-entries.ts";
import { type LostRange, withLost } from "../rules/sink.ts";
import { checkpointRecord, type RecordOptions, type SinkRecord } from "../rules/sink-record.ts";
import {
  afterAccepted,
  afterRefusal,
  afterRejected,
  afterSkip,
  afterTime,
  limitsAfter,
  readRefusals,
  type Refusal,
  type Refusals,
  refusalsText,
  type Rejected,
} from "../rules/sink-refusals.ts";
import type { SinkBatchOptions, SinkResult } from "../receiver/sink-receiver.ts";
import { AUDIT } from "../../store/audit.ts";
import { beginBatch, failSink, moveSink, releaseSink, renewSink } from "../store/sink-progress.ts";
import { narrowSink, skipRefused } from "../store/sink-refusals.ts";
import type { ClaimedSink } from "./claimed-sink.ts";

export interface SinkCursorDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly monotonicMs: () => number;
  readonly now: () => string;
}

/** A claim ends this long after its process was killed. It is renewed while the turn lasts. */
export const LEASE_S = 15;
export const RENEWAL_MS = 5_000;

/** Seconds of failure after which the audit says so. */
const RECORDED_FAILURE_S = 86_400;

const ACTOR = { type: "service", id: "webhook-dispatcher" } as const;

export class SinkCursor {
  readonly #deps: SinkCursorDeps;
  readonly #sink: ClaimedSink;
  readonly #beganMs: number;
  #lastCheckpointMs: number;
  #from: number;
  #count: number;
  #head: { readonly sequence_number: number; readonly hash: string } | undefined;
  #state: string | undefined;
  #lost: readonly LostRange[];
  #refusals: Refusals;
  #failureRecorded: boolean;
  position: number;
  /** The end of the batch that was begun, for a bucket. */
  pendingTo: number | undefined;

  constructor(deps: SinkCursorDeps, sink: ClaimedSink) {
    this.#deps = deps;
    this.#sink = sink;
    this.#beganMs = this.#nowMs();
    this.#lastCheckpointMs = this.#beganMs - sink.checkpoint_age_s * 1_000;
    this.#from = Number(sink.checkpoint_from);
    this.#count = Number(sink.checkpoint_count);
    const { sent_hash: hash, sent_number: number } = sink;
    if (hash !== null && number !== null) this.#head = { sequence_number: Number(number), hash };
    this.#state = sink.receiver_state ?? undefined;
    this.#lost = sink.lost === null ? [] : JSON.parse(sink.lost);
    const refusals = readRefusals(sink.refusals);
    this.#refusals = afterTime(refusals, limitsOf(sink.type), sink.claimed_at_ms);
    this.#failureRecorded = sink.failure_recorded;
    this.position = Number(sink.cursor);
    this.pendingTo = sink.pending_to === null ? undefined : Number(sink.pending_to);
  }

  get recordOptions(): RecordOptions {
    return recordOptionsOf(this.#sink);
  }

  get batchOptions(): SinkBatchOptions {
    const { account_id: accountId, id: sinkId, format, replays } = this.#sink;
    return { accountId, sinkId, format, replays, state: this.#state };
  }

  /** The limits of the next batch, after what the receiver has refused. */
  get limits(): BatchLimits {
    return limitsAfter(this.#refusals, limitsOf(this.#sink.type));
  }

  /** The ranges of which the receiver is yet to be told. */
  get untold(): readonly LostRange[] {
    return this.#lost.filter(({ isUntold }) => isUntold === true);
  }

  /** Call it before the move after the receiver was told of a range. */
  told(range: LostRange): void {
    const { isUntold: _, ...known } = range;
    this.#lost = this.#lost.map((one) => (one === range ? known : one));
  }

  /**
   * The checkpoint that the batch up to a number ends with, if one is due. The manifests of a bucket are its
   * own.
   */
  checkpointUpTo(to: number, { count, last }: Filling): SinkRecord | undefined {
    const sent = this.#count + count;
    const isLate = this.#nowMs() - this.#lastCheckpointMs >= CHECKPOINT_S * 1_000;
    // A record that is looked for is alone in the end.
    if (this.#refusals.suspects) return undefined;
    if (isBucket(this.#sink.type) || (sent < CHECKPOINT_EVENTS && !isLate)) return undefined;
    const { id: sinkId } = this.#sink;
    const isFiltered = this.#sink.filter !== null;
    const head = headOf(last) ?? this.#head;
    const checkpoint = { sinkId, from: this.#from, to, count: sent, isFiltered, head };
    return checkpointRecord(checkpoint, this.#deps.clock.nowText(), this.recordOptions);
  }

  /** Notes the end of a bucket's batch before it is sent. */
  async begin(to: number): Promise<boolean> {
    const rows = await this.#database.run(beginBatch, [...this.#claim, String(to)]);
    this.pendingTo = to;
    return rows.length > 0;
  }

  /** `result` is absent if the filter has left all events out, and nothing was sent. */
  async move(
    to: number,
    given: {
      readonly count: number;
      readonly hasCheckpoint: boolean;
      readonly filling: Filling;
      readonly result?: SinkResult;
    },
  ): Promise<boolean> {
    const { filling, hasCheckpoint, result } = given;
    const head = headOf(filling.last) ?? this.#head;
    const from = hasCheckpoint ? to + 1 : this.#from;
    const count = hasCheckpoint ? 0 : this.#count + given.count;
    const refusals = afterAccepted(this.#refusals, given.count, to);
    const move = [
      String(this.position),
      String(to),
      result !== undefined,
      result?.state ?? this.#state ?? null,
      String(from),
      String(count),
      hasCheckpoint,
      head === undefined ? null : String(head.sequence_number),
      head?.hash ?? null,
      this.#lostText,
      refusalsText(refusals),
      LEASE_S,
    ] as const;
    const isRecovered = result !== undefined && this.#failureRecorded;
    const isMoved = await this.#database.transaction(async (transaction) => {
      const rows = await transaction.run(moveSink, [...this.#claim, ...move]);
      if (rows.length > 0 && isRecovered) await AUDIT.add(transaction, this.#entry("recovered"));
      return rows.length > 0;
    });
    this.position = to;
    this.pendingTo = undefined;
    this.#from = from;
    this.#count = count;
    this.#head = head;
    this.#refusals = refusals;
    if (hasCheckpoint) this.#lastCheckpointMs = this.#nowMs();
    if (result) {
      this.#state = result.state ?? this.#state;
      this.#failureRecorded = false;
    }
    return isMoved;
  }

  /**
   * Ends the claim after a failed attempt. `rejected` is the one event that the receiver refuses for good.
   */
  async fail(error: string, waitS: number, rejected?: Rejected): Promise<void> {
    const failingS = this.#sink.failing_s + (this.#nowMs() - this.#beganMs) / 1_000;
    // The operator learns of a receiver of its own by the alerts, once and not for each account.
    const isRecorded = this.#sink.owner === "account" && failingS >= RECORDED_FAILURE_S;
    const isNew = isRecorded && !this.#failureRecorded;
    const refusals = refusalsText(
      rejected ? afterRejected(this.#refusals, rejected) : this.#refusals,
    );
    await this.#database.transaction(async (transaction) => {
      const failed = [...this.#claim, error, waitS, isNew, refusals] as const;
      const rows = await transaction.run(failSink, [...failed]);
      if (rows.length > 0 && isNew) await AUDIT.add(transaction, this.#entry("failing"));
    });
  }

  /** Ends the claim after a refused batch: the next one is smaller, and due at once. */
  async narrow(refusal: Refusal, { bytes, events }: Filling): Promise<void> {
    const refused = { bytes, events, nowMs: this.#databaseMs() };
    const refusals = afterRefusal(this.#refusals, refusal, refused);
    await this.#database.run(narrowSink, [...this.#claim, refusalsText(refusals)]);
  }

  /** Moves over an event that the receiver refuses for good, and records it. */
  async skip({ sequence_number: to, ...rejected }: Rejected): Promise<boolean> {
    const range = { from: to, to, reason: "rejected", isUntold: true } as const;
    const lost = withLost(this.#lost, range);
    const refusals = afterSkip(this.#refusals);
    const texts = [JSON.stringify(lost), refusalsText(refusals)] as const;
    const skipped = [String(this.position), String(to), ...texts, LEASE_S] as const;
    const { account_id: accountId, id, owner } = this.#sink;
    const change = { actor: ACTOR, occurredAt: this.#deps.clock.nowText() };
    const isMoved = await this.#database.transaction(async (transaction) => {
      const rows = await transaction.run(skipRefused, [...this.#claim, ...skipped]);
      if (rows.length === 0) return false;
      const of = { accountId, sinkId: id, isOperators: owner === "operator" };
      await AUDIT.add(transaction, skippedEntry(of, { sequence_number: to, ...rejected }, change));
      return true;
    });
    [this.position, this.#lost, this.#refusals] = [to, lost, refusals];
    return isMoved;
  }

  /** Holds the claim on. */
  async renew(): Promise<void> {
    await this.#database.run(renewSink, [...this.#claim, LEASE_S]);
  }

  async release(waitS: number, keepsBounds = true): Promise<void> {
    await this.#database.run(releaseSink, [...this.#claim, waitS, keepsBounds]);
  }

  addLost(range: LostRange): void {
    this.#lost = withLost(this.#lost, range);
  }

  get #lostText(): string | null {
    return this.#lost.length === 0 ? null : JSON.stringify(this.#lost);
  }

  #entry(verb: "failing" | "recovered") {
    const { account_id: accountId, id } = this.#sink;
    return sinkChange(verb, accountId, id, {
      actor: ACTOR,
      occurredAt: this.#deps.clock.nowText(),
    });
  }

  get #claim() {
    const { account_id: accountId, fence, id } = this.#sink;
    return [this.#deps.now(), accountId, id, fence] as const;
  }

  get #database() {
    return this.#deps.database.forAccount(this.#sink.account_id);
  }

  /** The time of the database, by which everything goes that is stored. */
  #databaseMs(): number {
    return this.#sink.claimed_at_ms + this.#nowMs() - this.#beganMs;
  }

  #nowMs(): number {
    return this.#deps.monotonicMs();
  }
}

/** How the records of a sink are made. */
export function recordOptionsOf(
  sink: Pick<ClaimedSink, "account_id" | "format" | "include_proof" | "mapping">,
): RecordOptions {
  const { account_id: chain, format, include_proof: includeProof } = sink;
  const mapping = sink.mapping === null ? undefined : JSON.parse(sink.mapping);
  return { chain, format, includeProof, mapping };
}

function headOf(last: SinkRecord | undefined) {
  const { hash, sequenceNumber } = last ?? {};
  return hash === undefined || sequenceNumber === undefined
    ? undefined
    : { sequence_number: sequenceNumber, hash };
}
