// The response with a file of an archive, read no faster than the client takes it. Called by
// get-archive-events.ts and get-archive-evidence.ts.

import { internal } from "@annals/errors";
import { ArchiveContent, type ExportsService } from "@annals/proto/exports";
import type { Client } from "@connectrpc/connect";
import { Readable } from "node:stream";
import { type Admission, admittedBy } from "../admission/admission.ts";
import { fileContent } from "../exports/export-content.ts";

const CONTENTS = {
  events: { content: ArchiveContent.EVENTS, type: "application/zstd", ending: "jsonl.zst" },
  evidence: { content: ArchiveContent.EVIDENCE, type: "application/x-tar", ending: "tar" },
} as const;

/** Bytes buffered for a slow client. */
const BUFFERED_BYTES = 64 * 1024;

type Exports = Pick<Client<typeof ExportsService>, "getArchive" | "streamArchiveContent">;

interface Call {
  readonly admission: Admission;
  readonly readmit: () => Promise<Admission>;
  readonly params: { readonly id: string };
  readonly signal: AbortSignal;
}

export async function archiveContent(
  exports: Exports,
  name: keyof typeof CONTENTS,
  { admission, params, readmit, signal }: Call,
) {
  const { content, ending, type } = CONTENTS[name];
  const request = { accountId: admission.accountId, id: params.id };
  const { archive } = await exports.getArchive(request, admittedBy(admission, signal));
  const file = archive?.[name];
  if (!file) throw internal("the export service responded without an archive");
  const { sha256, sizeBytes } = file;
  const pieces = fileContent(
    (offset, options) =>
      exports.streamArchiveContent({ ...request, content, offset, sha256 }, options),
    sizeBytes,
    { admission, readmit, signal },
  );
  return {
    headers: {
      "content-type": type,
      "content-length": String(sizeBytes),
      "content-disposition": `attachment; filename="${params.id}.${ending}"`,
    },
    stream: Readable.from(pieces, { objectMode: false, highWaterMark: BUFFERED_BYTES }),
  };
}
