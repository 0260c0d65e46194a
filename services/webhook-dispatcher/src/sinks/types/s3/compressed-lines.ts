// Lines that are compressed as they come, so that a batch of a bucket holds what it has compressed and no
// more. Called by s3-receiver.ts.

import { once } from "node:events";
import { createZstdCompress } from "node:zlib";

export class CompressedLines {
  readonly #zstd = createZstdCompress();
  readonly #chunks: Buffer[] = [];
  readonly #failed: Promise<never>;
  #bytes = 0;

  constructor() {
    this.#failed = new Promise((_resolve, reject) => this.#zstd.once("error", reject));
    this.#failed.catch(() => {});
    this.#zstd.on("data", (chunk: Buffer) => this.#chunks.push(chunk));
  }

  /** Bytes of the lines, before compression. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when more may be written. */
  async write(text: string): Promise<void> {
    if (text === "") return;
    const bytes = Buffer.from(text);
    this.#bytes += bytes.length;
    if (!this.#zstd.write(bytes)) await Promise.race([once(this.#zstd, "drain"), this.#failed]);
  }

  /** The compressed file. Nothing may be written after it. */
  async finish(): Promise<Buffer> {
    const ended = once(this.#zstd, "end");
    this.#zstd.end();
    await Promise.race([ended, this.#failed]);
    return Buffer.concat(this.#chunks);
  }

  discard(): void {
    this.#zstd.destroy();
    this.#chunks.length = 0;
  }
}
