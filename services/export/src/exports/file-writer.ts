// Counts and hashes what goes into the file of an export, once its bytes are reserved. Called by the writers
// of both kinds of file.

import { createHash, type Hash } from "node:crypto";
import type { Sink } from "../storage/storage.ts";

export class FileWriter {
  readonly #sink: Sink;
  readonly #reserve: (bytes: number) => Promise<void>;
  #hash: Hash = createHash("sha256");
  sizeBytes = 0;

  constructor(sink: Sink, reserve: (bytes: number) => Promise<void>) {
    this.#sink = sink;
    this.#reserve = reserve;
  }

  /** Writes without copying. When it resolves, the caller may reuse `bytes`. */
  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    await this.#reserve(this.sizeBytes + bytes.length);
    const written = this.#sink.write(bytes);
    // Hashing runs while the storage writes.
    this.#hash.update(bytes);
    this.sizeBytes += bytes.length;
    await written;
  }

  /** Begins a new digest: that of what is written from here on. */
  startDigest(): void {
    this.#hash = createHash("sha256");
  }

  /** Digest of all bytes so far, or of those since {@link startDigest}. */
  sha256(): string {
    return this.#hash.copy().digest("hex");
  }
}
