// Writes the file of one export from its first byte to its last, in constant memory: a page of events is asked for when the
// storage has taken the page before. Called by the worker for each attempt; the same job gives the same bytes each time.

import type { Metrics } from "../metrics.ts";
import { type EventFilter, EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { fromBinary } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { createHash, type Hash } from "node:crypto";
import { type Encoder, encoderOf } from "../domain/encoder.ts";
import { type EventPlace, type ExportHead, manifestRecord } from "../domain/manifest.ts";
import { readEvents } from "../outbound/read-events.ts";
import type { Sink, Storage } from "../outbound/storage.ts";
import type { TakenRow } from "../store/take-job.ts";

export interface WriteDeps {
  readonly ledger: Pick<Client<typeof LedgerService>, "streamEvents">;
  readonly metrics: Metrics;
  readonly storage: Storage;
}

export interface WrittenFile {
  readonly file: string;
  readonly eventCount: number;
  /** Of the whole file. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** What the names of all files of a job begin with. */
export function fileStem(job: Pick<TakenRow, "account_id" | "id">): string {
  return `${job.account_id}/${job.id}.`;
}

/** Resolves when the file is whole and durable; else nothing of it is left, as far as the storage can be reached. */
export async function writeExport(
  deps: WriteDeps,
  job: TakenRow,
  signal: AbortSignal,
): Promise<WrittenFile> {
  const file = `${fileStem(job)}${job.lease_token}.${job.format}`;
  const sink = await deps.storage.create(file);
  try {
    const writer = new Writer(sink);
    const eventCount = await writeAll(deps, job, writer, signal);
    await sink.finish();
    return { file, eventCount, sha256: writer.sha256(), sizeBytes: writer.sizeBytes };
  } catch (error) {
    await sink.abort().catch(() => {});
    throw error;
  }
}

async function writeAll(
  { ledger, metrics }: WriteDeps,
  job: TakenRow,
  writer: Writer,
  signal: AbortSignal,
): Promise<number> {
  const filter = fromBinary(EventFilterSchema, job.filter);
  const encoder: Encoder = encoderOf(job.format, job.include_proofs);
  const selection = { accountId: job.account_id, filter, includeProof: job.include_proofs };
  let eventCount = 0;
  let first: EventPlace | undefined;
  let last: EventPlace | undefined;
  if (encoder.opening !== "") await writer.write(encoder.opening);
  for await (const events of readEvents(ledger, selection, signal)) {
    signal.throwIfAborted();
    await writer.write(events.map((event) => encoder.record(event)).join(""));
    first ??= placeOf(events[0]);
    last = placeOf(events.at(-1));
    eventCount += events.length;
    metrics.events.inc(events.length);
  }
  const { sizeBytes } = writer;
  const written = { eventCount, first, last, sizeBytes, sha256: writer.sha256() };
  await writer.write(encoder.closing(manifestRecord(headOf(job, filter), written)));
  return eventCount;
}

/** Only the members that the manifest needs, so that no page of events is kept. */
function placeOf(event: EventPlace | undefined): EventPlace | undefined {
  if (!event) return undefined;
  const { sequenceNumber, hash, previousHash } = event;
  return { sequenceNumber, hash, previousHash };
}

function headOf(job: TakenRow, { afterSequence, beforeSequence }: EventFilter): ExportHead {
  const sequence = BigInt(job.head_sequence);
  return {
    id: job.id,
    accountId: job.account_id,
    format: job.format,
    includeProofs: job.include_proofs,
    filterJson: job.filter_json,
    createdAt: job.created_at,
    head: { sequence, hash: job.head_hash },
    range: { from: (afterSequence ?? 0n) + 1n, to: (beforeSequence ?? sequence + 1n) - 1n },
  };
}

/** Counts and hashes what goes into the sink. */
class Writer {
  readonly #sink: Sink;
  readonly #hash: Hash = createHash("sha256");
  sizeBytes = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.#hash.update(bytes);
    this.sizeBytes += bytes.length;
    await this.#sink.write(bytes);
  }

  /** Of everything so far. */
  sha256(): string {
    return this.#hash.copy().digest("hex");
  }
}
