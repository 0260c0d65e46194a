// Verifies an export that is a file. Called by main.ts. Events are checked in worker threads, the chain along
// them here (verify-source.ts).

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { CheckPool } from "./check-pool.ts";
import {
  CHUNK_BYTES,
  type Report,
  type Source,
  verifySource,
  type VerifyOptions,
} from "./verify-source.ts";

/** Threads that check events: each takes about 40 MB. */
const MAX_THREADS = 4;

/**
 * Rejects with BadLine naming the first line that is not valid, and with the system's error where
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
    chunks: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }),
  };
  // A small file is checked sooner than a thread starts.
  const threads = size <= CHUNK_BYTES ? 0 : Math.min(availableParallelism(), MAX_THREADS);
  const openChecks = (...[checker, format]: Parameters<Parameters<typeof verifySource>[1]>) =>
    new CheckPool(checker, format, threads);
  return await verifySource(source, openChecks, options);
}
