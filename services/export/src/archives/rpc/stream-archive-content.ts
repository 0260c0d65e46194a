// StreamArchiveContent: a file of an archive, in chunks. The next chunk is read when the connection has taken
// the one before, so that a slow reader costs no memory. The reader is recorded before the first chunk of
// each request, as that of an export is.

import type { Clock } from "@annals/contract";
import { AnnalsError, complete, invalid, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import { ArchiveContent, type ExportsService } from "@annals/proto/exports";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { archiveFiles, archiveId } from "../rules/archive.ts";
import type { Storage } from "../../storage/storage.ts";
import { type ArchiveRow, getArchive } from "../store/archives.ts";
import { AUDIT } from "../../store/audit.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly storage: Storage;
}

export function streamArchiveContent(
  deps: Deps,
): ServiceImpl<typeof ExportsService>["streamArchiveContent"] {
  return async function* ({ accountId, content, id, offset, sha256 }, context) {
    complete({ account_id: accountId, id });
    const database = deps.database.forAccount(accountId, context.signal);
    const [row] = await database.run(getArchive, [accountId, archiveId(id)]);
    if (!row) throw notFound("archive", id);
    const file = fileOf(row, content);
    if (sha256 !== file.sha256)
      throw new AnnalsError("not_found", `The archive ${id} was written anew: download it again.`);
    if (offset < 0n || offset > file.bytes)
      throw invalid({ field: "offset", message: "must be within the file" });
    if (offset === file.bytes) return;
    const actor = actorOf(context);
    const occurredAt = deps.clock.nowText();
    await database.transaction((transaction) =>
      AUDIT.add(transaction, {
        accountId,
        action: "annals.archive.downloaded",
        actor,
        target: { type: "archive", id },
        metadata: { content: file.name, offset: String(offset) },
        occurredAt,
      }),
    );
    const { signal } = context;
    for await (const chunk of await deps.storage.read(file.path, Number(offset), signal))
      yield { chunk };
  };
}

function fileOf(row: ArchiveRow, content: ArchiveContent) {
  const files = archiveFiles(row, row.file_token ?? "");
  if (content === ArchiveContent.EVENTS)
    return {
      name: "events",
      path: files.events,
      bytes: BigInt(row.events_bytes ?? 0),
      sha256: row.events_sha256,
    };
  if (content === ArchiveContent.EVIDENCE)
    return {
      name: "evidence",
      path: files.evidence,
      bytes: BigInt(row.evidence_bytes ?? 0),
      sha256: row.evidence_sha256,
    };
  throw invalid({ field: "content", message: "is not known" });
}
