// A zip whose bytes depend on nothing but its files: no times, no owners. Called by go-module.ts, because the
// Go module proxy takes no other format.

import { crc32, deflateRawSync } from "node:zlib";

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END = 0x06054b50;
/** Version 2.0, for deflate; names are in UTF-8. */
const VERSION = 20;
const UTF8 = 0x0800;
const DEFLATE = 8;
/** 1 January 1980, the first day of the format. */
const DATE = 0x0021;

/** Each number in its bytes, in little-endian order. */
function fields(...values: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer {
  return Buffer.concat(
    values.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}

/** `files` by their path in the archive, in this order. */
export function zip(files: readonly (readonly [path: string, content: Buffer])[]): Buffer {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content, { level: 9 });
    const common = fields(
      [VERSION, 2],
      [UTF8, 2],
      [DEFLATE, 2],
      [0, 2],
      [DATE, 2],
      [crc32(content), 4],
      [packed.length, 4],
      [content.length, 4],
      [name.length, 2],
      [0, 2],
    );
    const entry = Buffer.concat([fields([LOCAL_HEADER, 4]), common, name, packed]);
    // No comment, the first disk, no attributes.
    const rest = fields([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]);
    directory.push(fields([CENTRAL_HEADER, 4], [VERSION, 2]), common, rest, name);
    entries.push(entry);
    offset += entry.length;
  }
  const index = Buffer.concat(directory);
  const count = files.length;
  const end = fields(
    [END, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [index.length, 4],
    [offset, 4],
    [0, 2],
  );
  return Buffer.concat([...entries, index, end]);
}
