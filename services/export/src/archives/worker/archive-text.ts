// The text of the events of an archive in its compressed file: one zstd frame, because readers such as that
// of Node.js stop after the first one. Called by write-archive.ts and erased-archives.ts. A text must never
// be held in memory, and one that is read must be the one that was written.

import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import type { Storage } from "../../storage/storage.ts";
import type { FileWriter } from "../../exports/file-writer.ts";

const LEVEL = 3;
/** A frame without content, as Node.js writes it. */
const EMPTY_FRAME = Buffer.from("28b52ffd240001000099e9d851", "hex");
/** Node.js writes one or two of them behind a text. */
const HELD_BYTES = 4 * EMPTY_FRAME.length;
const LINE_FEED = 0x0a;
/** No event has a line of this size: a part has at most some hundred KiB (docs/interface.md). */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface ArchiveText {
  readonly sha256: string;
  readonly size: number;
}

/** Resolves to what identifies the uncompressed text. */
export async function writeText(
  writer: FileWriter,
  texts: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<ArchiveText> {
  const digest = createHash("sha256");
  let size = 0;
  const counted = async function* () {
    for await (const text of texts) {
      digest.update(text);
      size += text.length;
      yield text;
    }
  };
  const params = {
    [constants.ZSTD_c_compressionLevel]: LEVEL,
    [constants.ZSTD_c_checksumFlag]: 1,
  };
  const write = async (compressed: AsyncIterable<Buffer>) => {
    for await (const piece of oneFrame(compressed)) await writer.write(piece);
  };
  await pipeline(counted, createZstdCompress({ params }), write, { signal });
  return { sha256: digest.digest("hex"), size };
}

/**
 * Leaves out the empty frames behind the first one: Node.js ends a frame again, and so begins another, if
 * the end of the text comes with its last piece, and if the frame fills a buffer exactly.
 */
async function* oneFrame(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of compressed) {
    held = Buffer.concat([held, piece]);
    if (held.length <= HELD_BYTES) continue;
    yield held.subarray(0, -HELD_BYTES);
    held = Buffer.from(held.subarray(-HELD_BYTES));
  }
  while (held.subarray(-EMPTY_FRAME.length).equals(EMPTY_FRAME))
    held = held.subarray(0, -EMPTY_FRAME.length);
  yield held;
}

/** Yields the lines with their line feeds. Rejects at the end if the text is another one than was written. */
export async function* readText(
  storage: Pick<Storage, "read">,
  { file, text }: { readonly file: string; readonly text: ArchiveText },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const digest = createHash("sha256");
  let size = 0;
  let begun: Buffer = Buffer.alloc(0);
  const compressed = Readable.from(await storage.read(file, 0, signal), { objectMode: false });
  const zstd = createZstdDecompress();
  const feeding = pipeline(compressed, zstd, { signal });
  // It rejects the reader as well.
  feeding.catch(() => {});
  for await (const piece of zstd as AsyncIterable<Buffer>) {
    digest.update(piece);
    size += piece.length;
    let from = 0;
    for (
      let end = piece.indexOf(LINE_FEED) + 1;
      end > 0;
      end = piece.indexOf(LINE_FEED, from) + 1
    ) {
      const rest = piece.subarray(from, end);
      yield begun.length === 0 ? rest : Buffer.concat([begun, rest]);
      begun = Buffer.alloc(0);
      from = end;
    }
    begun = Buffer.concat([begun, piece.subarray(from)]);
    if (begun.length > MAX_LINE_BYTES) throw new Error("a line of the archive is too long");
  }
  await feeding;
  if (begun.length > 0 || size !== text.size || digest.digest("hex") !== text.sha256)
    throw new Error(`the storage has another text in ${file} than was written`);
}
