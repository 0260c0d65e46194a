// An export as the interface shows it (docs/exports.md). The text itself is made by libs/contract,
// as that of the webhook is.

import {
  EXPORT_FORMATS,
  EXPORT_STATUSES,
  type ExportFormat,
  exportJson,
  type ExportStatus,
} from "@annals/contract";
import { internal } from "@annals/errors";
import {
  type Export,
  ExportFormat as ProtoFormat,
  ExportStatus as ProtoStatus,
} from "@annals/proto/exports";
import { Type, type TSchema } from "typebox";
import { SearchFilterBody } from "../events/render-event-filter.ts";
import { Count, Hash, Id, named, Nullable, openDetail, Time } from "../render/schema.ts";

const STATUSES: Record<ProtoStatus, ExportStatus> = {
  [ProtoStatus.UNSPECIFIED]: "pending",
  [ProtoStatus.PENDING]: "pending",
  [ProtoStatus.RUNNING]: "running",
  [ProtoStatus.COMPLETED]: "completed",
  [ProtoStatus.FAILED]: "failed",
};

const FORMATS: Record<ProtoFormat, ExportFormat> = {
  [ProtoFormat.UNSPECIFIED]: "jsonl",
  [ProtoFormat.JSONL]: "jsonl",
  [ProtoFormat.CSV]: "csv",
  [ProtoFormat.CSV_BOM]: "csv_bom",
  [ProtoFormat.EVIDENCE]: "evidence",
  [ProtoFormat.PARQUET]: "parquet",
};

export const FORMAT_NUMBERS: Record<ExportFormat, ProtoFormat> = {
  jsonl: ProtoFormat.JSONL,
  csv: ProtoFormat.CSV,
  csv_bom: ProtoFormat.CSV_BOM,
  parquet: ProtoFormat.PARQUET,
  evidence: ProtoFormat.EVIDENCE,
};

export const formatOf = ({ format }: Export): ExportFormat => FORMATS[format];
export const statusOf = ({ status }: Export): ExportStatus => STATUSES[status];

export function renderExport(one: Export | undefined): string {
  if (!one) throw internal("the export service responded without an export");
  return exportJson({
    id: one.id,
    status: statusOf(one),
    format: formatOf(one),
    filterJson: one.filterJson,
    eventCount: one.eventCount,
    sha256: one.sha256,
    sizeBytes: one.sizeBytes,
    createdAt: one.createdAt,
    completedAt: one.completedAt,
  });
}

const untilCompleted = (type: TSchema, description: string) =>
  Nullable(type, { description: `${description} Null until the export is completed.` });

export const ExportId = Id("exp", "5v8n1c4x7z0q3w6t9r2k5m8p1d");

/** What an export is made with, and what a response shows of it. */
export const EXPORT_MEMBERS = openDetail("export-members");

export const ExportBody = named(
  "Export",
  Type.Object(
    {
      id: ExportId,
      status: Type.Enum([...EXPORT_STATUSES], { examples: ["completed"] }),
      format: Type.Enum([...EXPORT_FORMATS]),
      filter: SearchFilterBody,
      event_count: untilCompleted(Count({ examples: [2] }), "Events in the file."),
      sha256: untilCompleted(Hash(), "SHA-256 of the complete file, in lower-case hexadecimal."),
      size_bytes: untilCompleted(Count({ examples: [1_730] }), "Size of the complete file."),
      created_at: Time(),
      completed_at: untilCompleted(Time(), "ISO 8601, UTC, six fraction digits."),
    },
    EXPORT_MEMBERS,
  ),
);
