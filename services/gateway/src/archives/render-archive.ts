// An archive as JSON (docs/lifecycle.md#archives).

import { internal } from "@annals/errors";
import type { Archive, ArchivedFile } from "@annals/proto/exports";
import { Type } from "typebox";
import { Count, Hash, Id, named, openDetail, SequenceNumber, Time } from "../render/schema.ts";

export const ArchiveId = Id("arc", "3c6f9j2m5q8t1w4z7a0d3g6k9n");

const ARCHIVE_MEMBERS = openDetail("archive-members");

const File = (description: string) =>
  Type.Object(
    {
      sha256: Hash({ description: "SHA-256 of the file, in lower-case hexadecimal." }),
      size_bytes: Count({ examples: [36_214] }),
    },
    { description },
  );

export const ArchiveBody = named(
  "Archive",
  Type.Object(
    {
      id: ArchiveId,
      month: Type.String({
        description: "The month of UTC in which its events were stored.",
        examples: ["2026-01"],
      }),
      from_sequence: SequenceNumber({ description: "Its first event.", examples: [1] }),
      to_sequence: SequenceNumber({ description: "Its last event.", examples: [4_200] }),
      events: File("Its events with proofs, as JSON Lines that are compressed with zstd."),
      evidence: File("What proves its events: a bundle of evidence without them."),
      created_at: Time(),
      written_at: Time({
        description: "When its files were written last: an erasure of its events writes them anew.",
      }),
    },
    ARCHIVE_MEMBERS,
  ),
);

export function renderArchive(archive: Archive) {
  return {
    id: archive.id,
    month: archive.month,
    from_sequence: Number(archive.fromSequence),
    to_sequence: Number(archive.toSequence),
    events: renderFile(archive.events),
    evidence: renderFile(archive.evidence),
    created_at: archive.createdAt,
    written_at: archive.writtenAt,
  };
}

function renderFile(file: ArchivedFile | undefined) {
  if (!file) throw internal("the export service responded without a file of an archive");
  return { sha256: file.sha256, size_bytes: Number(file.sizeBytes) };
}
