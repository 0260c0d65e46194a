// Renders a stored job as proto.

import type { ExportSchema } from "@annals/proto/exports";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExportRow } from "../store/export-row.ts";
import { FORMAT_NUMBERS, STATUS_NUMBERS } from "./export-enums.ts";

export function renderExport(row: ExportRow): MessageInitShape<typeof ExportSchema> {
  return {
    id: row.id,
    status: STATUS_NUMBERS[row.status],
    format: FORMAT_NUMBERS[row.format],
    filterJson: row.filter_json,
    includeProofs: row.include_proofs,
    createdAt: row.created_at,
    ...(row.event_count !== null && { eventCount: BigInt(row.event_count) }),
    ...(row.sha256 !== null && { sha256: row.sha256 }),
    ...(row.size_bytes !== null && { sizeBytes: BigInt(row.size_bytes) }),
    ...(row.completed_at !== null && { completedAt: row.completed_at }),
  };
}
