// What follows from a receiver that refuses records for good: smaller batches, until one record is alone, and
// that record is named (docs/sinks.md#when-a-receiver-refuses-an-event). Called by worker/sink-cursor.ts and
// the handlers of sinks. Pure. Each refusal must make the next batch smaller, so that they end.

import type { BatchLimits } from "./sink-batches.ts";
import type { SinkRecord } from "./sink-record.ts";

/** Why the receiver will refuse the same batch again: it is too large, or it has a record that is refused. */
export interface Refusal {
  readonly kind: "size" | "record";
  /** The place in the batch of the first record that is refused, if the receiver has named it. */
  readonly index?: number;
  /** The status of the record, or of the response. */
  readonly status: number | null;
  /** What the receiver has said, without secrets. */
  readonly reason: string;
}

/** A single event that the receiver has refused for good. */
export interface Rejected {
  readonly sequence_number: number;
  readonly id: string;
  readonly status: number | null;
  readonly reason: string;
}

/** What the row of a sink has of it, as JSON. */
export interface Refusals {
  /** What the receiver takes, in bytes of records, and since when it is so. */
  readonly size?: { readonly bytes: number; readonly since_ms: number };
  /** So many records up to a number have one that is refused; the last one, if the receiver has named it. */
  readonly suspects?: { readonly count: number; readonly to: number; readonly is_named: boolean };
  readonly rejected?: Rejected;
}

/** Statuses that refuse what was sent, and not who sends, where to or when. */
export const FINAL_STATUSES: ReadonlySet<unknown> = new Set([400, 413, 422]);
export const TOO_LARGE = 413;

/** A batch is twice as large again after this time: the receiver may take more by then. */
export const GROWS_AFTER_MS = 3_600_000;

export function readRefusals(text: string | null): Refusals {
  return text === null ? {} : (JSON.parse(text) as Refusals);
}

/** The text that is stored; null if there is nothing to remember. */
export function refusalsText(refusals: Refusals): string | null {
  return Object.values(refusals).some((one) => one !== undefined) ? JSON.stringify(refusals) : null;
}

/** The limits of the next batch. */
export function limitsAfter({ size, suspects }: Refusals, usual: BatchLimits): BatchLimits {
  const maxBytes = size && Math.min(size.bytes, usual.bytes);
  const records = suspects ? nextOf(suspects) : usual.records;
  return { ...usual, records, ...(maxBytes !== undefined && { maxBytes }) };
}

/** Half of the suspects; those before the last one, if it was named; at last the one. */
function nextOf({ count, is_named: isNamed }: NonNullable<Refusals["suspects"]>): number {
  return Math.max(1, isNamed ? count - 1 : Math.floor(count / 2));
}

/** What a refused batch leaves, unless it was a single event. */
export function afterRefusal(
  refusals: Refusals,
  { index, kind }: Refusal,
  batch: { readonly events: readonly SinkRecord[]; readonly bytes: number; readonly nowMs: number },
): Refusals {
  const { bytes, events, nowMs } = batch;
  if (kind === "size" && events.length > 1) {
    const before = Math.min(bytes, refusals.size?.bytes ?? bytes);
    return { ...refusals, size: { bytes: Math.max(1, Math.floor(before / 2)), since_ms: nowMs } };
  }
  const named = index === undefined ? undefined : events[index];
  const suspects = named ? events.slice(0, (index ?? 0) + 1) : events;
  const to = suspects.at(-1)?.sequenceNumber ?? 0;
  return {
    ...refusals,
    suspects: { count: suspects.length, to, is_named: named !== undefined },
  };
}

/** What a single event leaves that was refused: it is sent alone until it is taken. */
export function afterRejected(refusals: Refusals, rejected: Rejected): Refusals {
  const suspects = { count: 1, to: rejected.sequence_number, is_named: true };
  return { ...refusals, suspects, rejected };
}

/** What a batch leaves that was accepted, or left out by the filter, up to a number. */
export function afterAccepted(refusals: Refusals, count: number, to: number): Refusals {
  const { rejected: _, suspects, ...rest } = refusals;
  if (!suspects || suspects.to <= to) return rest;
  return { ...rest, suspects: { ...suspects, count: Math.max(1, suspects.count - count) } };
}

/** What is left of it after the refused event is passed over. */
export function afterSkip({ size }: Refusals): Refusals {
  return size ? { size } : {};
}

/** Lets batches grow again. */
export function afterTime(refusals: Refusals, usual: BatchLimits, nowMs: number): Refusals {
  const { size, ...rest } = refusals;
  if (!size || nowMs - size.since_ms < GROWS_AFTER_MS) return refusals;
  const bytes = size.bytes * 2;
  return bytes >= usual.bytes ? rest : { ...rest, size: { bytes, since_ms: nowMs } };
}

export function rejectedOf(event: SinkRecord, { reason, status }: Refusal): Rejected {
  return { sequence_number: event.sequenceNumber ?? 0, id: event.id, status, reason };
}
