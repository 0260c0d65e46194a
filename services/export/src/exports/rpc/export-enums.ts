// Formats and statuses: their proto numbers, and their names in the interface.

import type { ExportFormat, ExportStatus } from "@annals/contract";
import { ExportFormat as ProtoFormat, ExportStatus as ProtoStatus } from "@annals/proto/exports";

export const FORMAT_NUMBERS: Record<ExportFormat, ProtoFormat> = {
  jsonl: ProtoFormat.JSONL,
  csv: ProtoFormat.CSV,
  csv_bom: ProtoFormat.CSV_BOM,
  parquet: ProtoFormat.PARQUET,
  evidence: ProtoFormat.EVIDENCE,
};

export const STATUS_NUMBERS: Record<ExportStatus, ProtoStatus> = {
  pending: ProtoStatus.PENDING,
  running: ProtoStatus.RUNNING,
  completed: ProtoStatus.COMPLETED,
  failed: ProtoStatus.FAILED,
};

/** Undefined for a format that this release does not know. */
export function formatName(format: ProtoFormat): ExportFormat | undefined {
  switch (format) {
    case ProtoFormat.JSONL:
      return "jsonl";
    case ProtoFormat.CSV:
      return "csv";
    case ProtoFormat.CSV_BOM:
      return "csv_bom";
    case ProtoFormat.PARQUET:
      return "parquet";
    case ProtoFormat.EVIDENCE:
      return "evidence";
    default:
      return undefined;
  }
}
