// The events of an archive, which are in a file of their own: a text, or the text in one zstd frame. Called
// by bundle-files.ts. It must never hold the text, nor accept a file that has more than the text.

import { quoteVisibly } from "@annals/event";
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { pipeline } from "node:stream";
import * as zlib from "node:zlib";
import { BadLine } from "../bad-line.ts";
import { CHUNK_BYTES } from "../verify-source.ts";
import { ZSTD_MAGIC, ZstdFrame } from "../zstd-frame.ts";
import type { ListedFile } from "./bundle-json.ts";
import { EvidenceFault, NotChecked } from "./evidence-fault.ts";

export class EventsFile implements Disposable {
  readonly #file: number;
  readonly #path: string;
  readonly #size: number;
  readonly #isCompressed: boolean;

  /** Throws NotChecked if the file cannot be read. */
  constructor(path: string) {
    this.#path = path;
    this.#file = this.#reading(() => openSync(path, "r"));
    try {
      this.#size = fstatSync(this.#file).size;
      this.#isCompressed = this.#readAt(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC);
      // Runtimes of before 2025 have no zstd.
      if (this.#isCompressed && !("createZstdDecompress" in zlib))
        throw this.#notChecked("this runtime cannot decompress zstd; run `zstd -d` before");
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  /**
   * Rejects with EvidenceFault (file_mismatch) unless the text is the listed one, byte for byte, and the file
   * has nothing else. `onProgress` gets the bytes of the file that were read.
   */
  async check(listed: ListedFile, onProgress: (done: number) => void): Promise<void> {
    const digest = createHash("sha256");
    let size = 0;
    for await (const chunk of this.chunks(onProgress)) {
      size += chunk.length;
      // A few bytes can be compressed from as many as there is time to decompress.
      if (size > listed.size) throw mismatch(`are more than ${listed.size} bytes`);
      digest.update(chunk);
    }
    if (size < listed.size) throw mismatch(`are ${size} bytes, and not ${listed.size}`);
    if (digest.digest("hex") !== listed.sha256)
      throw mismatch("are not those that bundle.json names");
  }

  /** The text, from the beginning. */
  async *chunks(onProgress: (done: number) => void = () => {}): AsyncGenerator<Buffer> {
    if (this.#isCompressed) yield* this.#decompressed(onProgress);
    else yield* this.#bytes(onProgress);
  }

  async *#decompressed(onProgress: (done: number) => void): AsyncGenerator<Buffer> {
    let unread: unknown;
    const frame = new ZstdFrame();
    const source = async function* source(bytes: AsyncIterable<Buffer>) {
      try {
        for await (const chunk of bytes) {
          frame.take(chunk);
          yield chunk;
        }
        frame.end();
      } catch (error) {
        unread = error instanceof BadLine ? fileMismatch(error.message) : error;
        throw error;
      }
    };
    const decompress = zlib.createZstdDecompress({ chunkSize: CHUNK_BYTES });
    const text = pipeline(source(this.#bytes(onProgress)), decompress, () => {});
    try {
      for await (const chunk of text) yield chunk as Buffer;
    } catch {
      throw unread ?? fileMismatch("has a damaged zstd frame");
    }
  }

  async *#bytes(onProgress: (done: number) => void): AsyncGenerator<Buffer> {
    for (let at = 0; at < this.#size; at += CHUNK_BYTES) {
      const chunk = this.#readAt(at, Math.min(CHUNK_BYTES, this.#size - at));
      onProgress(at + chunk.length);
      yield chunk;
    }
  }

  #readAt(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(
      0,
      this.#reading(() => readSync(this.#file, bytes, 0, length, offset)),
    );
  }

  #reading<Value>(read: () => Value): Value {
    try {
      return read();
    } catch (error) {
      const { code } = error as Partial<NodeJS.ErrnoException>;
      throw this.#notChecked(code ?? "unknown");
    }
  }

  #notChecked(why: string): NotChecked {
    return new NotChecked(`${quoteVisibly(this.#path)} cannot be read (${why})`);
  }
}

function mismatch(message: string): EvidenceFault {
  return new EvidenceFault("file_mismatch", `the events ${message}`);
}

function fileMismatch(message: string): EvidenceFault {
  return new EvidenceFault("file_mismatch", `the file of the events ${message}`);
}
