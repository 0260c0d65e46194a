// Writes files into a tar file, one after the other, and notes their digests. The size of the first one may
// be known only at its end: its header is then written last. Called by write-bundle.ts.

import type { BundleFile } from "./rules/bundle.ts";
import { TAR_BLOCK_BYTES, TAR_END_BYTES, tarHeader, tarPadding } from "../formats/rules/tar.ts";
import type { FileWriter } from "./file-writer.ts";

export class TarWriter {
  readonly #writer: FileWriter;
  /** Seconds since 1970: the time of each file. */
  readonly #time: number;
  readonly #files: BundleFile[] = [];

  constructor(writer: FileWriter, time: number) {
    this.#writer = writer;
    this.#time = time;
  }

  get files(): readonly BundleFile[] {
    return this.#files;
  }

  /** Resolves to the header, which belongs at the beginning of the tar file. */
  async addFirst(name: string, pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
    await this.#writer.write(Buffer.alloc(TAR_BLOCK_BYTES));
    this.#writer.startDigest();
    for await (const piece of pieces) await this.#writer.write(piece);
    const size = this.#writer.sizeBytes - TAR_BLOCK_BYTES;
    await this.#end(name, size);
    return this.#header(name, size);
  }

  async add(name: string, bytes: Uint8Array): Promise<void> {
    await this.#writer.write(this.#header(name, bytes.length));
    this.#writer.startDigest();
    await this.#writer.write(bytes);
    await this.#end(name, bytes.length);
  }

  async finish(): Promise<void> {
    await this.#writer.write(Buffer.alloc(TAR_END_BYTES));
  }

  #header(name: string, size: number): Buffer {
    return tarHeader(name, size, this.#time);
  }

  async #end(name: string, size: number): Promise<void> {
    this.#files.push({ name, sha256: this.#writer.sha256(), size });
    await this.#writer.write(tarPadding(size));
  }
}
