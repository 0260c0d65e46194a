// Verifies a Parquet export in constant memory, a row group at a time. Called by verify-file.ts. It must
// never take a file as valid in which a query would see another value than the one that was hashed.

import { Erasures } from "@annals/event";
import { type AsyncBuffer, type FileMetaData, parquetReadObjects } from "hyparquet";
import { zstdDecompressSync } from "node:zlib";
import { BadLine } from "./bad-line.ts";
import { BodyDigest } from "./body-digest.ts";
import { ChainWalk } from "./chain-walk.ts";
import { checkEvent } from "./check-line.ts";
import { checkedEvent } from "./checked-event.ts";
import { conclude } from "./conclude.ts";
import { GROUP_MAX_BYTES, readFooter } from "./parquet-footer.ts";
import { readRow, type Row } from "./parquet-row.ts";
import type { Report, Source, VerifyOptions } from "./report.ts";

/** Rejects with BadLine naming the first row that is not valid, from 1. */
export async function verifyParquet(
  source: Source,
  { onProgress, sha256 }: VerifyOptions = {},
): Promise<Report> {
  const { manifest, metadata } = await readFooter(source);
  const walk = new ChainWalk(manifest);
  const erasures = new Erasures();
  let line = 0;
  for await (const rows of rowGroups(source, metadata, () => line))
    for (const row of rows) {
      line += 1;
      try {
        const event = readRow(row);
        checkEvent(event, manifest.chain);
        const checked = checkedEvent(event);
        walk.take(checked);
        erasures.take(checked);
      } catch (error) {
        throw error instanceof BadLine ? error.at(line) : error;
      }
    }
  const digest = new BodyDigest(manifest.sizeBytes);
  for await (const chunk of source.chunks()) {
    digest.update(chunk);
    onProgress?.(digest.bytes, source.size);
  }
  return conclude({ format: "parquet", source, sha256 }, manifest, {
    walk,
    erasures,
    digest,
    line,
  });
}

/** Throws BadLine for a row group that cannot be read. */
async function* rowGroups(
  source: Source,
  metadata: FileMetaData,
  line: () => number,
): AsyncGenerator<readonly Row[]> {
  const file: AsyncBuffer = {
    byteLength: source.size,
    slice: async (from, to = source.size) => {
      if (to - from > GROUP_MAX_BYTES || from < 0 || to > source.size)
        throw new RangeError("a column is outside of the file");
      return new Uint8Array(await source.read(from, to)).buffer;
    },
  };
  let rowStart = 0;
  for (const { num_rows: count } of metadata.row_groups) {
    const rowEnd = rowStart + Number(count);
    const compressors = { ZSTD: boundedZstd() };
    try {
      yield await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors, parsers });
    } catch (error) {
      if (error instanceof BadLine) throw error;
      throw new BadLine(`its row group cannot be read: ${(error as Error).message}`, line() + 1);
    }
    rowStart = rowEnd;
  }
}

/** Times keep their microseconds, and a text the byte order mark that it may begin with. */
const parsers = {
  timestampFromMicroseconds: (micros: bigint) => micros,
  stringFromBytes: (bytes: Uint8Array) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"),
};

/** Refuses to inflate more than a row group may have. */
function boundedZstd(): (bytes: Uint8Array, size: number) => Uint8Array {
  let left = GROUP_MAX_BYTES;
  return (bytes, size) => {
    left -= size;
    if (left < 0) throw new RangeError("it is too large");
    return size === 0 ? new Uint8Array() : zstdDecompressSync(bytes, { maxOutputLength: size });
  };
}
