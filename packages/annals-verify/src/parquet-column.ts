// Reads the values of one column of a row group of a Parquet export. Called by verify-parquet.ts. It reads
// what the service writes and nothing else: a dictionary if there is one, then pages of version 2, which
// fill the column to its last byte. It must never trust a count or a size of the file before it has
// compared it with the rows of the group and with the bytes that are there.

import { isUtf8 } from "node:buffer";
import * as zlib from "node:zlib";
import { NotChecked } from "./evidence/evidence-fault.ts";
import type { Chunk } from "./parquet-footer.ts";
import type { Column } from "./parquet-row.ts";
import { countIn, fieldsOf, type Thrift, ThriftReader, type ThriftStruct } from "./thrift.ts";

export type Cell = string | bigint | null;

const PAGE = { dictionary: 2, data: 3 };
const ENCODING = { plain: 0, dictionary: 8 };
const LENGTH_BYTES = 4;
const INTEGER_BYTES = 8;
/** 32 MiB, of which the window of a page needs no more. */
const MAX_WINDOW_LOG = 25;
/** Bits of an index into the values of a group, which are no more than its rows. */
const MAX_INDEX_BITS = 15;

/** Throws RangeError. `bytes` are those of the column in the file. */
export function readColumn(bytes: Buffer, column: Column, chunk: Chunk): readonly Cell[] {
  const pages = new Pages(bytes, chunk.uncompressed);
  const dictionary = chunk.dictionaryBytes > 0 ? pages.dictionary(column, chunk) : undefined;
  if (pages.at !== chunk.dictionaryBytes)
    throw new RangeError("its values do not begin where the footer says");
  const cells: Cell[] = [];
  while (cells.length < chunk.rows) {
    const most = chunk.rows - cells.length;
    for (const cell of pages.data(column, most, dictionary)) cells.push(cell);
  }
  if (pages.at !== bytes.length) throw new RangeError("it has bytes behind its values");
  checkStatistics(cells, chunk.statistics);
  return cells;
}

class Pages {
  readonly #reader: ThriftReader;
  #left: number;

  constructor(bytes: Buffer, uncompressed: number) {
    this.#reader = new ThriftReader(bytes);
    this.#left = uncompressed;
  }

  get at(): number {
    return this.#reader.at;
  }

  dictionary(column: Column, { rows }: Chunk): readonly Cell[] {
    if (!column.repeats) throw new RangeError("it has a dictionary");
    const { head, page, size } = this.#next(PAGE.dictionary, 7);
    if (head[2] !== ENCODING.plain) throw new RangeError("its dictionary is not plain");
    const count = countIn(head[1], rows, "the count of its dictionary");
    return plainValues(inflate(page, size), column, count);
  }

  data(column: Column, most: number, dictionary: readonly Cell[] | undefined): readonly Cell[] {
    const { head, page, size } = this.#next(PAGE.data, 8);
    const count = countIn(head[1], most, "the count of a page");
    const nulls = countIn(head[2], column.hasNulls ? count : 0, "the nulls of a page");
    const levelBytes = countIn(head[5], Math.min(page.length, size), "the levels of a page");
    if (count === 0 || head[3] !== count || head[6] !== 0 || head[7] !== undefined)
      throw new RangeError("a page is not one of exports");
    const levels = column.hasNulls ? page.subarray(0, levelBytes) : undefined;
    if (!levels && levelBytes > 0) throw new RangeError("a page has levels");
    if (head[4] !== (dictionary ? ENCODING.dictionary : ENCODING.plain))
      throw new RangeError("a page has another encoding");
    const text = inflate(page.subarray(levelBytes), size - levelBytes);
    const values = dictionary
      ? indexed(text, dictionary, count - nulls)
      : plainValues(text, column, count - nulls);
    return levels ? withNulls(values, readRuns(levels, 1, count)) : values;
  }

  /** The next page, whose header must be of this type and have this field. */
  #next(type: number, field: number): Page {
    const header = this.#reader.struct();
    if (header[1] !== type || Object.keys(header).join() !== `1,2,3,${field}`)
      throw new RangeError("a page is not one of exports");
    const size = countIn(header[2], this.#left, "the size of a page");
    this.#left -= size;
    const compressed = countIn(header[3], Number.MAX_SAFE_INTEGER, "the size of a page");
    return { head: fieldsOf(header[field]), page: this.#reader.take(compressed), size };
  }
}

interface Page {
  readonly head: ThriftStruct;
  /** Levels, which are not compressed, and values. */
  readonly page: Buffer;
  readonly size: number;
}

/** Refuses to make more or less than `size` bytes. */
function inflate(bytes: Buffer, size: number): Buffer {
  if (!("zstdDecompressSync" in zlib))
    throw new NotChecked("this runtime cannot decompress zstd: use Node.js 22.15 or newer");
  if (size === 0) return Buffer.alloc(0);
  const params = { [zlib.constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG };
  const text = zlib.zstdDecompressSync(bytes, { maxOutputLength: size, params });
  if (text.length !== size) throw new RangeError("a page has another size");
  return text;
}

function plainValues(bytes: Buffer, { kind }: Column, count: number): readonly Cell[] {
  if (kind !== "text") {
    if (bytes.length !== count * INTEGER_BYTES) throw new RangeError("a page has another size");
    return Array.from({ length: count }, (_, at) => bytes.readBigInt64LE(at * INTEGER_BYTES));
  }
  // Each text has its length, so the bytes bound the count.
  if (bytes.length < count * LENGTH_BYTES) throw new RangeError("a page has too few values");
  const reader = new ThriftReader(bytes);
  const texts = Array.from({ length: count }, () => {
    const text = reader.take(reader.take(LENGTH_BYTES).readUInt32LE());
    if (!isUtf8(text)) throw new RangeError("a text is not valid UTF-8");
    return text.toString("utf8");
  });
  if (reader.at !== bytes.length) throw new RangeError("a page has bytes behind its values");
  return texts;
}

function indexed(bytes: Buffer, dictionary: readonly Cell[], count: number): readonly Cell[] {
  const [width = 0] = bytes;
  if (width > MAX_INDEX_BITS) throw new RangeError("an index is not in its dictionary");
  return Array.from(readRuns(bytes.subarray(1), width, count), (index) => {
    const cell = dictionary[index];
    if (cell === undefined) throw new RangeError("an index is not in its dictionary");
    return cell;
  });
}

function withNulls(values: readonly Cell[], levels: Uint16Array): readonly Cell[] {
  let at = 0;
  const cells = Array.from(levels, (level) => {
    at += level;
    return level === 0 ? null : (values[at - 1] ?? null);
  });
  if (at !== values.length) throw new RangeError("a page has another count of nulls");
  return cells;
}

/** Reads numbers of `width` bits, in runs of one number or of groups of eight packed ones. */
function readRuns(bytes: Buffer, width: number, count: number): Uint16Array {
  const numbers = new Uint16Array(count);
  const reader = new ThriftReader(bytes);
  let done = 0;
  while (done < count) {
    const head = reader.varint();
    const isPacked = head % 2 === 1;
    const size = ((head - (head % 2)) / 2) * (isPacked ? 8 : 1);
    const padding = isPacked ? 7 : 0;
    if (size === 0 || size > count - done + padding) throw new RangeError("a run is too long");
    const own = reader.take(isPacked ? (size / 8) * width : Math.ceil(width / 8));
    const end = Math.min(count, done + size);
    for (let at = 0; done + at < end; at += 1)
      numbers[done + at] = bitsAt(own, isPacked ? at * width : 0, width);
    done = end;
  }
  if (reader.at !== bytes.length) throw new RangeError("a page has bytes behind its runs");
  return numbers;
}

function bitsAt(bytes: Buffer, from: number, width: number): number {
  const at = from >> 3;
  const three = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
  return (three >> (from & 7)) & ((1 << width) - 1);
}

/** Checks what lets a query leave out a row group: the nulls, and bounds that no value may exceed. */
function checkStatistics(cells: readonly Cell[], statistics: ThriftStruct): void {
  const { 3: nulls, 5: most, 6: least, 7: isMost = true, 8: isLeast = true } = statistics;
  const values = cells.filter((cell) => cell !== null);
  if (nulls !== undefined && nulls !== cells.length - values.length)
    throw new RangeError("the footer has another count of its nulls");
  for (const [bound, sign, isExact] of [
    [most, 1, isMost],
    [least, -1, isLeast],
  ] as const) {
    if (bound === undefined) continue;
    const differences = values.map((value) => sign * compare(value, bound));
    if (differences.some((each) => each > 0) || (isExact === true && !differences.includes(0)))
      throw new RangeError("the footer has other bounds of its values");
  }
}

/** Negative for a value below the bound. */
function compare(value: string | bigint, bound: Thrift): number {
  if (!Buffer.isBuffer(bound)) throw new RangeError("the footer has other bounds of its values");
  if (typeof value === "string") return Buffer.compare(Buffer.from(value), bound);
  const other = bound.length === INTEGER_BYTES ? bound.readBigInt64LE() : undefined;
  if (other === undefined) throw new RangeError("the footer has other bounds of its values");
  return value < other ? -1 : Number(value > other);
}
