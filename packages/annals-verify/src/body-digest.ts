// The digests of a file that is read once: that of its first bytes, which the manifest claims, and that of
// all. Called by verify-source.ts and verify-parquet.ts.

import { createHash } from "node:crypto";

/** SHA-256 of the first `size` bytes, and of all bytes. */
export class BodyDigest {
  readonly #body = createHash("sha256");
  readonly #size: number;
  #all: ReturnType<typeof createHash> | undefined;
  bytes = 0;

  constructor(size: number) {
    this.#size = size;
  }

  update(chunk: Buffer): void {
    const left = Math.max(0, this.#size - this.bytes);
    if (left > 0) this.#body.update(chunk.subarray(0, left));
    if (chunk.length > left) {
      this.#all ??= this.#body.copy();
      this.#all.update(chunk.subarray(left));
    }
    this.bytes += chunk.length;
  }

  body(): string {
    return this.#body.copy().digest("hex");
  }

  all(): string {
    return (this.#all ?? this.#body).copy().digest("hex");
  }
}
