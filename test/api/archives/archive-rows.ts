// Archives in the storage of a running export service, as its worker leaves them. For the tests of the routes
// of archives: no month of theirs ends.

import type { ownerOf } from "@annals/testing";
import { hash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";

interface Given {
  readonly owner: ReturnType<typeof ownerOf>;
  /** The directory of the export service; or the data directory of a stack, which has it. */
  readonly exportDirectory?: string;
  readonly dataDir?: string;
  readonly accountId: string;
  readonly id: string;
  /** Its first and its last event. */
  readonly from?: number;
}

const TEXT = '{"event":{"sequence_number":1},"proof":{}}\n';

/** Resolves to the bytes of both files. */
export async function putArchive({ accountId, from = 1, id, owner, ...where }: Given) {
  const { dataDir = "", exportDirectory = join(dataDir, "exports") } = where;
  const [events, evidence] = [zstdCompressSync(TEXT), Buffer.alloc(1_024, id)];
  const folder = join(exportDirectory, "archive", accountId, `2026-01-${from}-${from}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "events.1.jsonl.zst"), events);
  await writeFile(join(folder, "evidence.1.tar"), evidence);
  const ofFiles = [events, evidence].flatMap((bytes) => [bytes.length, hash("sha256", bytes)]);
  await owner.query(
    `INSERT INTO exports.archives (account_id, from_sequence, to_sequence, id, month, head_sequence, head_hash, created_at,
       status, lease_token, records_through, has_leftovers, written_at, file_token, text_bytes, text_sha256, events_bytes,
       events_sha256, evidence_bytes, evidence_sha256)
     VALUES ($1, $2, $2, $3, '2026-01', $2, '', $4, 'completed', 1, $2, false, $4, 1, $5, $6, $7, $8, $9, $10)`,
    [
      accountId,
      from,
      id,
      `2026-02-01T00:00:0${from % 10}.000000Z`,
      TEXT.length,
      hash("sha256", TEXT),
      ...ofFiles,
    ],
  );
  return { events, evidence };
}
