// The objects that sinks have written, in a folder with a copy of a bucket. Called by sink-command.ts and
// read by verify-sinks.ts; s3-files.ts has those of a bucket.

import { quoteVisibly } from "@annals/event";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { NotChecked } from "../evidence/evidence-fault.ts";

export interface SinkFile {
  /** The name that is shown. */
  readonly name: string;
  /** The path from the root, with slashes. */
  readonly path: string;
  readonly size: number;
  /** Never more than some bytes above the size. */
  readonly read: () => Promise<Buffer>;
}

export interface SinkFiles {
  /** The name that is shown. */
  readonly name: string;
  readonly list: () => Promise<readonly SinkFile[]>;
}

export function folderFiles(folder: string): SinkFiles {
  return {
    name: folder,
    list: async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      // Another reader follows it, and would find what was not checked.
      const link = entries.find((entry) => entry.isSymbolicLink());
      if (link)
        throw new NotChecked(
          `${quoteVisibly(join(link.parentPath, link.name))} is a link: put what it names in its place`,
        );
      const names = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      const files: SinkFile[] = [];
      for (const name of names) {
        const path = resolve(name).split(sep).join("/");
        files.push({ name, path, size: (await stat(name)).size, read: () => readFile(name) });
      }
      return files;
    },
  };
}
