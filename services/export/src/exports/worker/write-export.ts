// Writes the file of one export, in constant memory: the next page of events is read when the storage has
// taken the previous one. Called by export-worker.ts for each attempt. The same job must give the same bytes
// each time.

import { EXPORT_ENDINGS } from "@annals/contract";
import type { Metrics } from "../../metrics.ts";
import { type EventFilter, EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { fromBinary } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { fileForm, type RecordsFormat } from "../../formats/rules/file-format.ts";
import type { EventPosition, ExportHead } from "../rules/manifest.ts";
import { newestErasure } from "../../outbound/newest-erasure.ts";
import { readEvents } from "../../outbound/read-events.ts";
import type { LogReads } from "../../outbound/read-log.ts";
import type { Storage } from "../../storage/storage.ts";
import type { TakenRow } from "../store/take-job.ts";
import { FileWriter } from "../file-writer.ts";
import { reservation, type ReserveDeps } from "../reserve.ts";
import { writeBundle } from "../write-bundle.ts";

export interface WriteDeps extends ReserveDeps {
  readonly ledger: LogReads & Pick<Client<typeof LedgerService>, "listEvents" | "streamEvents">;
  readonly metrics: Metrics;
  readonly storage: Storage;
}

export interface WrittenFile {
  readonly file: string;
  readonly eventCount: number;
  /** Digest of the complete file. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** The prefix of the names of all files of a job. */
export function fileStem(job: Pick<TakenRow, "account_id" | "id">): string {
  return `${job.account_id}/${job.id}.`;
}

/**
 * Resolves when the file is complete and durable. If it rejects, nothing of the file is left, provided that
 * the storage is reachable.
 */
export async function writeExport(
  deps: WriteDeps,
  job: TakenRow,
  signal: AbortSignal,
): Promise<WrittenFile> {
  const file = `${fileStem(job)}${job.lease_token}.${EXPORT_ENDINGS[job.format]}`;
  const sink = await deps.storage.create(file);
  try {
    const writer = new FileWriter(sink, reservation(deps, job));
    const { format } = job;
    if (format === "evidence") {
      const { eventCount, head } = await writeBundle(deps, job, writer, signal);
      await sink.finish(head);
      const { sizeBytes } = writer;
      const sha256 = await digestOf(deps.storage, { file, sizeBytes }, signal);
      return { file, eventCount, sha256, sizeBytes };
    }
    const eventCount = await writeRecords(deps, { ...job, format }, writer, signal);
    await sink.finish();
    return { file, eventCount, sha256: writer.sha256(), sizeBytes: writer.sizeBytes };
  } catch (error) {
    await sink.abort().catch(() => {});
    throw error;
  }
}

/** Reads the file again: its first bytes were written last, so its digest is not known before. */
async function digestOf(
  storage: Storage,
  { file, sizeBytes }: Pick<WrittenFile, "file" | "sizeBytes">,
  signal: AbortSignal,
): Promise<string> {
  const digest = createHash("sha256");
  let size = 0;
  for await (const chunk of await storage.read(file, 0, signal)) {
    digest.update(chunk);
    size += chunk.length;
  }
  if (size !== sizeBytes) throw new Error("the storage has another file than was written");
  return digest.digest("hex");
}

async function writeRecords(
  { ledger, metrics }: WriteDeps,
  job: TakenRow & { readonly format: RecordsFormat },
  writer: FileWriter,
  signal: AbortSignal,
): Promise<number> {
  const filter = fromBinary(EventFilterSchema, job.filter);
  const { account_id: accountId, format, include_proofs: includeProof } = job;
  const form = fileForm(format, includeProof);
  const selection = { accountId, filter, includeProof, format: form.records };
  let eventCount = 0;
  let first: EventPosition | undefined;
  let last: EventPosition | undefined;
  let hasErased = false;
  await writer.write(form.opening());
  for await (const page of readEvents(ledger, selection, signal)) {
    signal.throwIfAborted();
    await writeAll(writer, form.body(page.text));
    first ??= positionOf(page.first);
    last = positionOf(page.last);
    eventCount += page.count;
    hasErased ||= page.hasErased;
    metrics.events.inc(page.count);
  }
  await writeAll(writer, form.rest());
  const { sizeBytes } = writer;
  const written = { eventCount, first, last, sizeBytes, sha256: writer.sha256() };
  let head = headOf(job, filter);
  if (hasErased) head = await withRecords(ledger, head, signal);
  await writer.write(form.closing(head, written));
  return eventCount;
}

/** Other work of this process runs between two pieces, whether the storage waits or not. */
async function writeAll(writer: FileWriter, pieces: Iterable<Uint8Array>): Promise<void> {
  for (const bytes of pieces) {
    await writer.write(bytes);
    await turn();
  }
}

/** Copies only the members that the manifest needs, so that no page of events stays in memory. */
function positionOf({ sequenceNumber, hash, previousHash }: EventPosition): EventPosition {
  return { sequenceNumber, hash, previousHash };
}

/**
 * The head of the job, or the newest record of an erasure if it is behind that. Then the range ends before
 * the head, and a verifier does not expect the record in the file.
 */
async function withRecords(
  ledger: WriteDeps["ledger"],
  head: ExportHead,
  signal: AbortSignal,
): Promise<ExportHead> {
  const behind = { accountId: head.accountId, afterSequence: head.head.sequence };
  const newest = await newestErasure(ledger, behind, signal);
  if (newest === undefined) return head;
  return { ...head, head: { sequence: newest.sequenceNumber, hash: newest.hash } };
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
