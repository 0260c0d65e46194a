// Export files in a directory that all replicas see. A file is written under a temporary name, synced, and
// then linked to its own name: under its own name it is complete or absent.

import { createReadStream } from "node:fs";
import {
  access,
  constants,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  rm,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Sink, Storage } from "./storage.ts";

/**
 * Bytes of one chunk that is read: half an HTTP/2 frame. With larger chunks memory grows, because garbage
 * collection is triggered by the number of the used buffers, not by their bytes.
 */
const CHUNK_BYTES = 8_000;

const PART = ".part";

export function directoryStorage(directory: string): Storage {
  return {
    create: (file) => createFile(join(directory, file)),
    read: async (file, offset, signal) => {
      const stream = createReadStream(join(directory, file), {
        start: offset,
        highWaterMark: CHUNK_BYTES,
        signal,
      });
      return stream as AsyncIterable<Uint8Array>;
    },
    keepOnly: async (stem, kept) => {
      const folder = join(directory, dirname(stem));
      const names = await readdir(folder).catch(noneIfAbsent);
      const stale = names.filter(
        (name) => name.startsWith(basename(stem)) && (!kept || name !== basename(kept)),
      );
      await Promise.all(stale.map((name) => rm(join(folder, name), { force: true })));
    },
    list: async (folder) => {
      const names = await readdir(join(directory, folder)).catch(noneIfAbsent);
      const files = names.map((name) => (name.endsWith(PART) ? name.slice(0, -PART.length) : name));
      return [...new Set(files)].map((name) => `${folder}/${name}`);
    },
    remove: async (file) => {
      for (const path of [join(directory, file), join(directory, file + PART)])
        await rm(path, { force: true });
    },
    check: async () => {
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
        return undefined;
      } catch {
        return "the directory of export files is not writable";
      }
    },
    close: () => {},
  };
}

async function createFile(path: string): Promise<Sink> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path + PART, "wx", 0o600);
  let isLinked = false;
  return {
    write: (chunk) => writeAll(handle, chunk, null),
    finish: async (head) => {
      if (head !== undefined) await writeAll(handle, head, 0);
      await handle.sync();
      await handle.close();
      // Unlike a rename, a link fails if the name is taken.
      await link(path + PART, path);
      isLinked = true;
      await rm(path + PART);
      await syncDirectory(dirname(path));
    },
    abort: async () => {
      // Closing fails if `finish` has already closed it.
      await handle.close().catch(() => {});
      await rm(path + PART, { force: true });
      if (isLinked) await rm(path, { force: true });
    },
  };
}

/** Writes at a position of the file, or at its end (null). */
async function writeAll(
  handle: FileHandle,
  chunk: Uint8Array,
  position: number | null,
): Promise<void> {
  let from = 0;
  while (from < chunk.length) {
    const at = position === null ? null : position + from;
    const { bytesWritten } = await handle.write(chunk, from, chunk.length - from, at);
    from += bytesWritten;
  }
}

/** Syncs the directory: without this, a crash of the machine may undo the link. */
async function syncDirectory(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function noneIfAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
