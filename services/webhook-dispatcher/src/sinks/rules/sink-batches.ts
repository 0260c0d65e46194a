// The rules of batches: where one ends, how long a sink waits, and what its next checkpoint says. Called by
// worker/sink-run.ts. Pure.

import { SINK_TYPES, type SinkType } from "@annals/interface";
import { dayOf, type SinkRecord } from "./sink-record.ts";

export interface BatchLimits {
  readonly records: number;
  /** Bytes of the records before compression. A batch may be larger by its last record. */
  readonly bytes: number;
  /** Bytes that a batch never has, unless a single record does: the receiver has refused more. */
  readonly maxBytes?: number;
  /** Seconds from the end of a turn that has sent all to the next one. */
  readonly intervalS: number;
}

const STREAM: BatchLimits = { records: 1_000, bytes: 1024 * 1024, intervalS: 5 };
const BUCKET: BatchLimits = { records: 200_000, bytes: 16 * 1024 * 1024, intervalS: 300 };

/** Whether the receiver is a bucket, which gets few large objects. */
export const isBucket = (type: SinkType): boolean => SINK_TYPES[type].batches === "bucket";

export const limitsOf = (type: SinkType): BatchLimits => (isBucket(type) ? BUCKET : STREAM);

/** A batch ends this time after it was opened, however small it is. */
export const MAX_FILL_MS = 5_000;

/** No batch is sent with what was read longer ago: an erasure counts on it. */
export const MAX_AGE_MS = 30_000;

/** A checkpoint follows this many events, or this many seconds. */
export const CHECKPOINT_EVENTS = 10_000;
export const CHECKPOINT_S = 3_600;

const FIRST_BACKOFF_S = 1;
const MAX_BACKOFF_S = 300;

/** Seconds until the next attempt, after `failedBefore` that failed; longer if the receiver asks for it. */
export function backoffS(failedBefore: number, retryAfterS = 0): number {
  const own = Math.min(MAX_BACKOFF_S, FIRST_BACKOFF_S * 2 ** Math.min(failedBefore, 30));
  return Math.max(own, retryAfterS);
}

/** What a batch has so far. */
export class Filling {
  readonly #type: SinkType;
  readonly #limits: BatchLimits;
  /** Empty for a bucket, whose batches are far larger and refused as a whole. */
  readonly events: SinkRecord[] = [];
  count = 0;
  bytes = 0;
  /** Time at which the batch was opened. */
  sinceMs: number;
  last: SinkRecord | undefined;
  #day: string | undefined;

  constructor(type: SinkType, nowMs: number, limits: BatchLimits = limitsOf(type)) {
    this.#type = type;
    this.#limits = limits;
    this.sinceMs = nowMs;
  }

  /** Whether the batch takes the record. An object of a bucket has the events of one day. */
  takes(record: SinkRecord): boolean {
    if (this.count === 0) return true;
    const { bytes, maxBytes, records } = this.#limits;
    const isOfDay = !isBucket(this.#type) || dayOf(record) === this.#day;
    const fits = maxBytes === undefined || this.bytes + sizeOf(record) <= maxBytes;
    return isOfDay && fits && this.count < records && this.bytes < bytes;
  }

  add(record: SinkRecord): void {
    this.#day ??= dayOf(record);
    if (!isBucket(this.#type)) this.events.push(record);
    this.count += 1;
    this.bytes += sizeOf(record);
    this.last = record;
  }
}

const sizeOf = ({ json }: SinkRecord): number => Buffer.byteLength(json);
