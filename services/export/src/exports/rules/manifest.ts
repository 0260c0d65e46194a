// The manifest of an export: what the file claims to hold, so that the file can be verified by itself. It is
// the last record of the file and describes the bytes before it (docs/exports.md). It depends on the job and
// the events only: two replicas that write the same export write the same bytes.

import type { ExportFormat } from "@annals/contract";
import { CSV_CELLS } from "@annals/event";
import { hash } from "node:crypto";

/** What is known before the first event is read. */
export interface ExportHead {
  readonly id: string;
  readonly accountId: string;
  readonly format: ExportFormat;
  readonly includeProofs: boolean;
  /** The JSON text of the filter as the client sent it. */
  readonly filterJson: string;
  readonly createdAt: string;
  /** The account's last event when the export was made; number 0 and 64 zeros before the first. */
  readonly head: { readonly sequence: bigint; readonly hash: string };
  /** Both ends are included. The range is empty if `from` is greater than `to`. */
  readonly range: { readonly from: bigint; readonly to: bigint };
}

export interface EventPosition {
  readonly sequenceNumber: bigint;
  readonly hash: string;
  readonly previousHash: string;
}

/** The bytes before the manifest. */
export interface Written {
  readonly eventCount: number;
  readonly first: EventPosition | undefined;
  readonly last: EventPosition | undefined;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** `{"manifest":{...},"manifest_sha256":"..."}`: the digest is that of the manifest's own text. */
export function manifestRecord(head: ExportHead, written: Written): string {
  // The records are the same with a byte order mark.
  const format = head.format === "csv_bom" ? "csv" : head.format;
  const manifest =
    `{"v":1,"export_id":"${head.id}","chain":${JSON.stringify(head.accountId)}` +
    `,"format":"${format}","include_proofs":${head.includeProofs},"filter":${head.filterJson || "{}"}` +
    (format === "csv" ? `,"cells":${JSON.stringify(CSV_CELLS)}` : "") +
    `,"created_at":"${head.createdAt}"` +
    `,"head":{"sequence_number":${head.head.sequence},"hash":"${head.head.hash}"}` +
    `,"range":{"from_sequence":${head.range.from},"to_sequence":${head.range.to}}` +
    `,"event_count":${written.eventCount},"first":${positionJson(written.first)},"last":${positionJson(written.last)}` +
    `,"size_bytes":${written.sizeBytes},"sha256":"${written.sha256}"}`;
  return `{"manifest":${manifest},"manifest_sha256":"${hash("sha256", manifest)}"}`;
}

function positionJson(event: EventPosition | undefined): string {
  if (!event) return "null";
  return (
    `{"sequence_number":${event.sequenceNumber},"hash":"${event.hash}"` +
    `,"previous_hash":"${event.previousHash}"}`
  );
}
