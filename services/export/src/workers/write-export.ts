// Writes the file of one export from its first byte to its last, in constant memory: a page of
// events is asked for when the storage has taken the page before. Called by the worker for each
// attempt; the same job gives the same bytes each time.

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

/**
 * Resolves when the file is whole and durable; else nothing of it is left, as far as the storage
 * can be reached.
 */
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
    await writer.flush();
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
  const { record } = encoder;
  const selection = {
    accountId: job.account_id,
    filter,
    includeProof: job.include_proofs,
    asJsonLines: record === undefined,
  };
  let eventCount = 0;
  let first: EventPlace | undefined;
  let last: EventPlace | undefined;
  await writer.write(encoder.opening);
  for await (const page of readEvents(ledger, selection, signal)) {
    signal.throwIfAborted();
    if (page.text) await writer.append(page.text);
    else if (record) await writeRecords(writer, page.events.map(record));
    first ??= placeOf(page.first);
    last = placeOf(page.last);
    eventCount += page.count;
    metrics.events.inc(page.count);
  }
  await writer.flush();
  const { sizeBytes } = writer;
  const written = { eventCount, first, last, sizeBytes, sha256: writer.sha256() };
  await writer.write(encoder.closing(manifestRecord(headOf(job, filter), written)));
  return eventCount;
}

async function writeRecords(writer: Writer, records: readonly string[]): Promise<void> {
  for (const record of records) {
    // Most fit and need no turn of the event loop.
    if (!writer.add(record)) await writer.write(record);
  }
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

/** Bytes that are gathered before they are written. */
const BUFFER_BYTES = 256 * 1024;
/** UTF-8 takes at most so many bytes for a unit of a string. */
const MAX_BYTES_PER_UNIT = 3;

/** Gathers, counts and hashes what goes into the sink. One buffer serves for the whole file. */
class Writer {
  readonly #sink: Sink;
  readonly #hash: Hash = createHash("sha256");
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #filled = 0;
  sizeBytes = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** False where there is no room for the text: nothing is added. */
  add(text: string): boolean {
    if (text.length * MAX_BYTES_PER_UNIT > BUFFER_BYTES - this.#filled) return false;
    this.#filled += this.#buffer.write(text, this.#filled);
    return true;
  }

  async write(text: string): Promise<void> {
    await this.flush();
    if (!this.add(text)) await this.#send(Buffer.from(text));
  }

  /** As they are, without a copy: `bytes` are the caller's again when it resolves. */
  async append(bytes: Uint8Array): Promise<void> {
    await this.flush();
    await this.#send(bytes);
  }

  async flush(): Promise<void> {
    if (this.#filled === 0) return;
    await this.#send(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }

  /** Of everything that was flushed. */
  sha256(): string {
    return this.#hash.copy().digest("hex");
  }

  async #send(bytes: Uint8Array): Promise<void> {
    const taken = this.#sink.write(bytes);
    // While the storage takes them.
    this.#hash.update(bytes);
    this.sizeBytes += bytes.length;
    await taken;
  }
}
