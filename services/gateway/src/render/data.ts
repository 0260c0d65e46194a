// The wrapper of successful bodies (interface 1): an object with the key data. Used by the routes. Large
// bodies are encoded here.

import { Type, type TSchema } from "typebox";

export const dataOf = <T extends TSchema>(schema: T) => Type.Object({ data: schema });

const HEAD = '{"data":[';

/**
 * `{"data":[`, the items with commas between, and `end`, in UTF-8. Written item by item: a response of
 * hundreds of kilobytes joined into one text would be copied three times more on its way to the socket.
 */
export function listBytes(items: readonly string[], end: string): Buffer {
  const commas = Math.max(0, items.length - 1);
  const sizes = items.map((item) => Buffer.byteLength(item));
  const size = sizes.reduce((sum, one) => sum + one, HEAD.length + commas + Buffer.byteLength(end));
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.write(HEAD);
  for (const [index, item] of items.entries()) {
    if (index > 0) at += bytes.write(",", at);
    at += bytes.write(item, at);
  }
  bytes.write(end, at);
  return bytes;
}
