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
};

export const FORMAT_NUMBERS: Record<ExportFormat, ProtoFormat> = {
  jsonl: ProtoFormat.JSONL,
  csv: ProtoFormat.CSV,
};

export const formatOf = ({ format }: Export): ExportFormat => FORMATS[format];
export const statusOf = ({ status }: Export): ExportStatus => STATUSES[status];

export function renderExport(one: Export | undefined): string {
  if (!one) throw internal("the export service answered without an export");
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
  Type.Union([type, Type.Null()], { description: `${description} Null until completed.` });

export const ExportBody = Type.Object(
  {
    id: Type.String({ description: "`exp_` and an opaque text." }),
    status: Type.Enum([...EXPORT_STATUSES]),
    format: Type.Enum([...EXPORT_FORMATS]),
    filter: Type.Record(Type.String(), Type.Unknown(), { description: "As it was sent." }),
    event_count: untilCompleted(Type.Integer(), "Events in the file."),
    sha256: untilCompleted(Type.String(), "Of the complete file, in lower-case hexadecimal."),
    size_bytes: untilCompleted(Type.Integer(), "Of the complete file."),
    created_at: Type.String({ description: "ISO 8601, UTC, six fraction digits." }),
    completed_at: untilCompleted(Type.String(), "ISO 8601, UTC, six fraction digits."),
  },
  { "x-annals-open-detail": true },
);
