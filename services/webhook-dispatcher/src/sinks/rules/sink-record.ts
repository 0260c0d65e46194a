// The records of a sink (docs/sinks.md): an event in the sink's format, and the lines that speak of the
// stream itself, a checkpoint and a gap. Called by receiver/sink-events.ts and the workers. An event in
// the format `annals` keeps the bytes that the ledger has rendered.

import { type OcsfOverrides, type SourceEvent, toCloudEvent, toEcs, toOcsf } from "@annals/ocsf";
import type { LostRange, SinkFormat } from "./sink.ts";

/** An event, or a line that speaks of the stream itself: a checkpoint, or a gap. */
export interface SinkRecord {
  /** The record in the format of the sink, without a line break. */
  readonly json: string;
  /** Id of the event; for a line of the stream one that is new and the same again when it is sent again. */
  readonly id: string;
  /** Absent from a line of the stream. */
  readonly sequenceNumber?: number;
  readonly action: string;
  /** UTC with six fraction digits: when it happened. */
  readonly occurredAt: string;
  /** The same: when it was stored. */
  readonly createdAt: string;
  /** Absent from a line of the stream. */
  readonly hash?: string;
  readonly previousHash?: string;
}

const DAY_LENGTH = "2026-01-31".length;

/** The UTC day on which the event was stored: a bucket's object has those of one. */
export function dayOf({ createdAt }: SinkRecord): string {
  return createdAt.slice(0, DAY_LENGTH);
}

export interface RecordOptions {
  /** The account, which is the name of its chain. */
  readonly chain: string;
  readonly format: SinkFormat;
  readonly includeProof: boolean;
  /** Classes of OCSF by action, besides those of the service. */
  readonly mapping: OcsfOverrides | undefined;
}

/** What every event has, as the ledger renders it. */
interface Event {
  readonly id: string;
  readonly sequence_number: number;
  readonly action: string;
  readonly hash: string;
  readonly previous_hash: string;
  readonly occurred_at: string;
  readonly created_at: string;
}

const EVENT_BEGIN = '{"event":';
const PROOF_BEGIN = ',"proof":{"v":';

/** Makes the record of an event from its line: the event, or with proofs `{"event":…,"proof":…}`. */
export function eventRecord(line: string, options: RecordOptions): SinkRecord {
  const { chain, includeProof } = options;
  // The event may have such a member, too. The last one is that of the line.
  const end = includeProof ? line.lastIndexOf(PROOF_BEGIN) : line.length;
  const event = includeProof ? line.slice(EVENT_BEGIN.length, end) : line;
  const proof = includeProof ? line.slice(end, -1) : "";
  const json = `${event.slice(0, -1)},"chain":${JSON.stringify(chain)}${proof}}`;
  const parsed = JSON.parse(event) as Event;
  return {
    json: inFormat(json, options),
    id: parsed.id,
    sequenceNumber: parsed.sequence_number,
    action: parsed.action,
    occurredAt: parsed.occurred_at,
    createdAt: parsed.created_at,
    hash: parsed.hash,
    previousHash: parsed.previous_hash,
  };
}

const CHECKPOINT_ACTION = "annals.sink.checkpoint";
const GAP_ACTION = "annals.sink.gap";

interface StreamLine {
  readonly id: string;
  readonly action: typeof CHECKPOINT_ACTION | typeof GAP_ACTION;
  readonly occurredAt: string;
  readonly metadata: object;
}

/** What a checkpoint says: how many events were sent of a range. */
export interface Checkpoint {
  readonly sinkId: string;
  /** Both inclusive; `to` is `from - 1` if nothing was stored since the last one. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly isFiltered: boolean;
  /** The newest event that was sent; absent before the first. */
  readonly head: { readonly sequence_number: number; readonly hash: string } | undefined;
}

export function checkpointRecord(
  { sinkId, from, to, count, isFiltered, head }: Checkpoint,
  occurredAt: string,
  options: RecordOptions,
): SinkRecord {
  const metadata = { sink: sinkId, from, to, count, filtered: isFiltered, ...(head && { head }) };
  const id = `${sinkId}-checkpoint-${to}-${occurredAt}`;
  return streamRecord({ id, action: CHECKPOINT_ACTION, occurredAt, metadata }, options);
}

/** Says which events are never sent, and why. */
export function gapRecord(
  sinkId: string,
  { from, reason, to }: LostRange,
  occurredAt: string,
  options: RecordOptions,
): SinkRecord {
  const metadata = { sink: sinkId, from, to, reason };
  return streamRecord(
    { id: `${sinkId}-gap-${to}`, action: GAP_ACTION, occurredAt, metadata },
    options,
  );
}

function streamRecord(line: StreamLine, options: RecordOptions): SinkRecord {
  const { action, id, metadata, occurredAt } = line;
  const json = JSON.stringify({ action, chain: options.chain, occurred_at: occurredAt, metadata });
  return { json: inFormat(json, options), id, action, occurredAt, createdAt: occurredAt };
}

function inFormat(json: string, { chain, format, mapping }: RecordOptions): string {
  if (format === "annals") return json;
  const event = JSON.parse(json) as SourceEvent;
  switch (format) {
    case "ocsf":
      return JSON.stringify(toOcsf(event, mapping));
    case "ecs":
      return JSON.stringify(toEcs(event));
    case "cloudevents":
      return JSON.stringify(toCloudEvent(event, `/annals/${chain}`));
  }
}
