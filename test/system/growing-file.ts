// The lines of a file that another process appends to, each read once. Called by the tests of real receivers
// of sinks.

import { open } from "node:fs/promises";

const PIECE_BYTES = 1024 * 1024;

export class GrowingFile {
  readonly #path: string;
  #readTo = 0;
  #rest = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  /** The complete lines after those of the call before. */
  async more(): Promise<string[]> {
    const lines: string[] = [];
    const file = await open(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    if (file === undefined) return lines;
    try {
      for (;;) {
        const { buffer, bytesRead } = await file.read(
          Buffer.alloc(PIECE_BYTES),
          0,
          PIECE_BYTES,
          this.#readTo,
        );
        if (bytesRead === 0) return lines;
        this.#readTo += bytesRead;
        const bytes = Buffer.concat([this.#rest, buffer.subarray(0, bytesRead)]);
        const end = bytes.lastIndexOf("\n") + 1;
        this.#rest = bytes.subarray(end);
        lines.push(...bytes.toString("utf8", 0, end).split("\n").slice(0, -1));
      }
    } finally {
      await file.close();
    }
  }

  /** Reads on as {@link more}, and leaves out a line that its process was killed in the midst of. */
  async last(): Promise<string[]> {
    const lines = await this.more();
    this.#rest = Buffer.alloc(0);
    return lines;
  }
}
