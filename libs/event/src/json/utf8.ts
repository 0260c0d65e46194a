// Bytes to text: for the strict reader valid UTF-8 or undefined, never a replacement character in place of
// evidence; for what is read loosely, any bytes.

import { isUtf8 } from "node:buffer";

/** The text of valid UTF-8 (a byte order mark is kept, as U+FEFF), or undefined. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? asBuffer(bytes).toString("utf8") : undefined;
}

/**
 * The text before the first invalid sequence of bytes that are not valid UTF-8, and the length of it in
 * bytes.
 */
export function validPrefix(bytes: Uint8Array): { text: string; offset: number } {
  const buffer = asBuffer(bytes);
  const [from, to] = windowOf(buffer);
  const offset = from + invalidFrom(buffer.subarray(from, to));
  return { text: buffer.toString("utf8", 0, offset), offset };
}

/** Bytes that are looked at one by one. */
const WINDOW_BYTES = 256;
/** Bytes of the longest character. */
const MAX_CHARACTER_BYTES = 4;

/** The text of any bytes: what is not UTF-8 of them is U+FFFD. */
export function decodeLoosely(bytes: Uint8Array): string {
  return looseDecoder().decode(bytes);
}

/** The same a piece at a time. Yields after every `pieceBytes`. */
export function* decodeLooselyInPieces(
  bytes: Uint8Array,
  pieceBytes: number,
): Generator<void, string> {
  const decoder = looseDecoder();
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    const stream = from + pieceBytes < bytes.length;
    parts.push(decoder.decode(bytes.subarray(from, from + pieceBytes), { stream }));
    yield;
  }
  return parts.join("");
}

const looseDecoder = () => new TextDecoder("utf-8", { ignoreBOM: true });

/** A few bytes in which the first invalid sequence is whole; before them all is valid. */
function windowOf(buffer: Buffer): [from: number, to: number] {
  let [from, to] = [0, buffer.length];
  while (to - from > WINDOW_BYTES) {
    let middle = from + Math.floor((to - from) / 2);
    // To the start of a character; in valid UTF-8 it is at most three bytes before.
    for (let steps = 1; steps < MAX_CHARACTER_BYTES && isInside(buffer[middle]); steps += 1)
      middle -= 1;
    if (isUtf8(buffer.subarray(from, middle))) from = middle;
    else to = middle + MAX_CHARACTER_BYTES;
  }
  return [from, Math.min(to + MAX_CHARACTER_BYTES, buffer.length)];
}

/** Whether the byte is one of a character, and not its first. */
function isInside(byte = 0): boolean {
  return byte >> 6 === 0b10;
}

/** The offset of the first invalid sequence. */
function invalidFrom(buffer: Buffer): number {
  const replaced = buffer.toString("utf8");
  let offset = 0;
  let from = 0;
  for (;;) {
    const at = replaced.indexOf("\ufffd", from);
    if (at < 0) return buffer.length;
    offset += Buffer.byteLength(replaced.slice(from, at));
    // A replacement character that the sender wrote has these three bytes; any other marks a fault.
    const isGenuine =
      buffer[offset] === 0xef && buffer[offset + 1] === 0xbf && buffer[offset + 2] === 0xbd;
    if (!isGenuine) return offset;
    offset += 3;
    from = at + 1;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
