// An export as JSON (docs/exports.md): what the operations of /v1/exports return and what export.completed
// carries.

export const EXPORT_STATUSES = ["pending", "running", "completed", "failed"] as const;

export type ExportStatus = (typeof EXPORT_STATUSES)[number];

export const EXPORT_FORMATS = ["jsonl", "csv", "csv_bom", "parquet", "evidence"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** How the names of their files end. */
export const EXPORT_ENDINGS: Record<ExportFormat, string> = {
  jsonl: "jsonl",
  csv: "csv",
  csv_bom: "csv",
  parquet: "parquet",
  evidence: "tar",
};

export interface ExportText {
  readonly id: string;
  readonly status: ExportStatus;
  readonly format: ExportFormat;
  /** The JSON text of the filter as the client sent it. */
  readonly filterJson: string;
  /** This and the other optional members are undefined until completed. */
  readonly eventCount: number | bigint | undefined;
  /** Hash of the complete file, 64 lower-case hexadecimal digits. */
  readonly sha256: string | undefined;
  readonly sizeBytes: number | bigint | undefined;
  /** UTC with six fraction digits. */
  readonly createdAt: string;
  readonly completedAt: string | undefined;
}

export function exportJson(one: ExportText): string {
  return (
    `{"id":"${one.id}","status":"${one.status}","format":"${one.format}","filter":${one.filterJson || "{}"}` +
    `,"event_count":${one.eventCount ?? "null"},"sha256":${quoted(one.sha256)}` +
    `,"size_bytes":${one.sizeBytes ?? "null"}` +
    `,"created_at":"${one.createdAt}","completed_at":${quoted(one.completedAt)}}`
  );
}

function quoted(text: string | undefined): string {
  return text === undefined ? "null" : `"${text}"`;
}
