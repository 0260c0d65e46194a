// Splits a file into records while it is read: lines of JSON Lines, or records of CSV, whose quoted cells
// may hold line breaks. Called by verify-source.ts and evidence/bundle-files.ts.

import { BadLine } from "./bad-line.ts";

/** Consecutive records of a file. */
export interface Piece {
  readonly bytes: Buffer;
  /** Offsets in `bytes` of the start and the end of each record, without its line feed. */
  readonly bounds: Uint32Array;
  /** The line of each record, from 1. */
  readonly lines: readonly number[];
  /** One record, at the end of the file, without its line feed. */
  readonly isOpen?: boolean;
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;

/**
 * Bytes of one record: an event of the largest allowed size takes 1.2 MB, however it is escaped. A file
 * without line breaks cannot be an export, and is not read further.
 */
const MAX_RECORD_BYTES = 8 * 1024 * 1024;

/** The record with this index, a view of the bytes. */
export function recordOf({ bytes, bounds }: Pick<Piece, "bytes" | "bounds">, at: number): Buffer {
  return bytes.subarray(bounds[2 * at], bounds[2 * at + 1]);
}

/** Text after the last line break is a record too. `seen` gets every chunk. */
export async function* pieces(
  stream: AsyncIterable<Buffer>,
  isCsv: boolean,
  seen: (chunk: Buffer) => void,
): AsyncGenerator<Piece> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  for await (const chunk of stream) {
    seen(chunk);
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const bounds: number[] = [];
    const lines: number[] = [];
    let from = 0;
    for (let end = endOf(bytes, 0, isCsv); end >= 0; end = endOf(bytes, from, isCsv)) {
      bounds.push(from, end);
      lines.push(line);
      line += isCsv ? 1 + breaksIn(bytes.subarray(from, end)) : 1;
      from = end + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > MAX_RECORD_BYTES) throw new BadLine("is too long", line);
    if (lines.length > 0) yield { bytes, bounds: Uint32Array.from(bounds), lines };
  }
  if (rest.length > 0)
    yield { bytes: rest, bounds: Uint32Array.of(0, rest.length), lines: [line], isOpen: true };
}

/** Offset of the line feed that ends the record; -1 if it is not in `bytes`. */
function endOf(bytes: Buffer, from: number, isCsv: boolean): number {
  let end = bytes.indexOf(LINE_FEED, from);
  if (!isCsv) return end;
  let at = from;
  while (end >= 0) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0 || quote > end) return end;
    const closing = bytes.indexOf(QUOTE, quote + 1);
    if (closing < 0) return -1;
    at = closing + 1;
    if (at > end) end = bytes.indexOf(LINE_FEED, at);
  }
  return -1;
}

function breaksIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1))
    count += 1;
  return count;
}
