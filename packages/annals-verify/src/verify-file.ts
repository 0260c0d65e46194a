// Verifies an export that is a file. Called by main.ts. Events are checked in worker threads, the chain along
// them here (verify-source.ts).

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { CheckPool } from "./check-pool.ts";
import { checkRecords } from "./check-records.ts";
import { MAGIC } from "./parquet-footer.ts";
import { verifyParquet } from "./verify-parquet.ts";
import {
  CHUNK_BYTES,
  type Report,
  type Source,
  verifySource,
  type VerifyOptions,
} from "./verify-source.ts";

/**
 * Rejects with BadLine naming the first line that is not valid, and with the system's error if
 * there is no file.
 */
export async function verifyFile(path: string, options: VerifyOptions = {}): Promise<Report> {
  await using handle = await open(path, "r");
  const { size } = await handle.stat();
  const source: Source = {
    size,
    read: async (from, to) => {
      const bytes = Buffer.alloc(to - from);
      await handle.read(bytes, 0, bytes.length, from);
      return bytes;
    },
    chunks: () =>
      createReadStream(path, { highWaterMark: Math.max(1, Math.min(CHUNK_BYTES, size)) }),
  };
  if ((await source.read(0, Math.min(MAGIC.length, size))).equals(MAGIC))
    return await verifyParquet(source, options);
  const openChecks = (...[checker, format]: Parameters<Parameters<typeof verifySource>[1]>) =>
    new CheckPool((records) => checkRecords(checker, records), format, size);
  return await verifySource(source, openChecks, options);
}
