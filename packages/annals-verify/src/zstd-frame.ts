// Follows the only zstd frame of some bytes (RFC 8878, section 3.1.1) from block to block, to know where it
// ends. Called by evidence/events-file.ts, sinks/check-object.ts and parquet-column.ts, because Node.js
// decompresses the first frame and ignores, without an error, whatever follows it. It must never pass bytes
// before or behind the frame, nor bytes that end within it.

import { BadLine } from "./bad-line.ts";

/** Bytes that come next: a field to read, or content to skip. */
type Next = { readonly read: number } | { readonly skip: number };

export const ZSTD_MAGIC = Buffer.of(0x28, 0xb5, 0x2f, 0xfd);

/** Bytes that the decompressor keeps. Every decompressor can keep as many. */
const MAX_WINDOW_BYTES = 8 * 1024 * 1024;
const WINDOW_UNIT_BYTES = 1024;
/** Bytes of a field, by its flag. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
/** What a content size of two bytes leaves out. */
const CONTENT_SIZE_BASE = 256;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;
const BLOCK = { runLength: 1, reserved: 3 };

/** Throws BadLine unless the bytes are one frame and nothing else. */
export function checkZstdFrame(bytes: Buffer): void {
  const frame = new ZstdFrame();
  frame.take(bytes);
  frame.end();
}

export class ZstdFrame {
  readonly #fields = fieldsOfFrame();
  #next: IteratorResult<Next, void> = this.#fields.next();
  #field: Buffer = Buffer.alloc(0);
  #skipped = 0;

  /** Takes the next bytes. Throws BadLine. */
  take(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#next.done === true) throw new BadLine("has bytes behind its zstd frame");
      const next = this.#next.value;
      if ("read" in next) {
        const part = bytes.subarray(at, at + next.read - this.#field.length);
        this.#field = Buffer.concat([this.#field, part]);
        at += part.length;
        if (this.#field.length === next.read) this.#go(this.#field);
      } else {
        const length = Math.min(next.skip - this.#skipped, bytes.length - at);
        this.#skipped += length;
        at += length;
        if (this.#skipped === next.skip) this.#go(this.#field);
      }
    }
  }

  /** Throws BadLine if the bytes end within the frame. */
  end(): void {
    if (this.#next.done !== true) throw new BadLine("has a zstd frame that was cut off");
  }

  #go(field: Buffer): void {
    this.#field = Buffer.alloc(0);
    this.#skipped = 0;
    this.#next = this.#fields.next(field);
  }
}

function* fieldsOfFrame(): Generator<Next, void, Buffer> {
  if (!(yield { read: ZSTD_MAGIC.length }).equals(ZSTD_MAGIC))
    throw new BadLine("does not begin with a zstd frame");
  const descriptor = (yield { read: 1 }).readUInt8();
  const isSingleSegment = (descriptor & 0x20) !== 0;
  // A single segment has no descriptor of its window, which is its content, and always the content's size.
  const window = isSingleSegment ? 0 : windowOf((yield { read: 1 }).readUInt8());
  const dictionary = DICTIONARY_ID_BYTES[descriptor & 3] ?? 0;
  if (dictionary > 0) yield { read: dictionary };
  const contentSize = CONTENT_SIZE_BYTES[descriptor >> 6] || Number(isSingleSegment);
  const content = contentSize === 0 ? 0 : contentOf(yield { read: contentSize });
  if ((isSingleSegment ? content : window) > MAX_WINDOW_BYTES)
    throw new BadLine(`has a zstd frame that needs more than ${MAX_WINDOW_BYTES} bytes of memory`);
  for (;;) {
    const header = (yield { read: BLOCK_HEADER_BYTES }).readUIntLE(0, BLOCK_HEADER_BYTES);
    const kind = (header >> 1) & 3;
    if (kind === BLOCK.reserved) throw new BadLine("has a damaged zstd frame");
    const size = kind === BLOCK.runLength ? 1 : header >> 3;
    if (size > 0) yield { skip: size };
    if ((header & 1) === 1) break;
  }
  if ((descriptor & 4) !== 0) yield { skip: CHECKSUM_BYTES };
}

function windowOf(descriptor: number): number {
  const base = WINDOW_UNIT_BYTES * 2 ** (descriptor >> 3);
  return base + (base / 8) * (descriptor & 7);
}

function contentOf(field: Buffer): number {
  if (field.length === 8) return Number(field.readBigUInt64LE());
  return field.readUIntLE(0, field.length) + (field.length === 2 ? CONTENT_SIZE_BASE : 0);
}
