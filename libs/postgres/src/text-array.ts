// A text[] in the binary format of PostgreSQL's protocol (array_send of its arrayfuncs.c), for statements
// with much text. pg encodes an array as text: it escapes every quote, and the server parses it character by
// character. A parameter of bytes is sent as binary, whatever its type.

/** The type `text` in pg_type. */
const TEXT_OID = 25;

/** Dimensions, whether there are nulls, the element's type, the length, the first index: four bytes each. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** A parameter for `$n::text[]`, of texts or of their UTF-8. */
export function textArray(values: readonly (string | Uint8Array | null)[]): Buffer {
  let size = HEADER_BYTES;
  for (const value of values)
    size += LENGTH_BYTES + (value === null ? 0 : Buffer.byteLength(value));
  const bytes = Buffer.allocUnsafe(size);
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  bytes.writeInt32BE(TEXT_OID, 8);
  bytes.writeInt32BE(values.length, 12);
  bytes.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (const value of values) {
    const length = value === null ? NULL_LENGTH : put(bytes, at + LENGTH_BYTES, value);
    bytes.writeInt32BE(length, at);
    at += LENGTH_BYTES + Math.max(length, 0);
  }
  return bytes;
}

/** Returns the number of bytes written. */
function put(bytes: Buffer, at: number, value: string | Uint8Array): number {
  if (typeof value === "string") return bytes.write(value, at);
  bytes.set(value, at);
  return value.length;
}
