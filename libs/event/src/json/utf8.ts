// Bytes to text for the strict reader: valid UTF-8 or undefined, never a replacement character in place of
// evidence.

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
  const replaced = buffer.toString("utf8");
  let offset = 0;
  let from = 0;
  for (;;) {
    const at = replaced.indexOf("\ufffd", from);
    if (at < 0) return { text: replaced, offset: buffer.length };
    offset += Buffer.byteLength(replaced.slice(from, at));
    // A replacement character that the sender wrote has these three bytes; any other marks a fault.
    const isGenuine =
      buffer[offset] === 0xef && buffer[offset + 1] === 0xbf && buffer[offset + 2] === 0xbd;
    if (!isGenuine) return { text: replaced.slice(0, at), offset };
    offset += 3;
    from = at + 1;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
