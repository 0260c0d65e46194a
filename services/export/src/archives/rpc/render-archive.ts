// Renders a stored archive as proto.

import type { ArchiveSchema } from "@annals/proto/exports";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ArchiveRow } from "../store/archives.ts";

/** `row` is completed. */
export function renderArchive(row: ArchiveRow): MessageInitShape<typeof ArchiveSchema> {
  return {
    id: row.id,
    month: row.month,
    fromSequence: BigInt(row.from_sequence),
    toSequence: BigInt(row.to_sequence),
    events: { sha256: row.events_sha256 ?? "", sizeBytes: BigInt(row.events_bytes ?? 0) },
    evidence: { sha256: row.evidence_sha256 ?? "", sizeBytes: BigInt(row.evidence_bytes ?? 0) },
    createdAt: row.created_at,
    writtenAt: row.written_at ?? "",
  };
}
