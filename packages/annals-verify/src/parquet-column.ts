// Reads the values of one column of a row group of a Parquet export. Called by verify-parquet.ts. It reads
// what the service writes and nothing else: a dictionary if there is one, then pages of version 2, which
// fill the column to its last byte. It must never trust a count or a size of the file before it has
// compared it with the rows of the group and with the bytes that are there.

import { isUtf8 } from "node:buffer";
import * as zlib from "node:zlib";
import { NotChecked } from "./evidence/evidence-fault.ts";
import type { Chunk } from "./parquet-groups.ts";
import type { Cell, Column } from "./parquet-row.ts";
import { statisticsOf } from "./parquet-statistics.ts";
import { countIn, fieldsOf, isSame, ThriftReader, type ThriftStruct } from "./thrift.ts";
import { checkZstdFrame } from "./zstd-frame.ts";

/** The fields of a page of values. */
const HEAD = "1,2,3,4,5,6";
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
  let count = 0;
  while (cells.length < chunk.rows) {
    count += 1;
    const most = chunk.rows - cells.length;
    for (const cell of pages.data(column, most, dictionary)) cells.push(cell);
  }
  if (pages.at !== bytes.length) throw new RangeError("it has bytes behind its values");
  if (pages.left !== 0) throw new RangeError("the footer has another size of its values");
  checkDictionary(cells, dictionary);
  // A query leaves out a row group by these.
  if (chunk.statistics !== undefined) {
    if (chunk.pages !== count) throw new RangeError("the footer has another count of its pages");
    const expected = statisticsOf(cells);
    if (chunk.statistics[3] !== expected[3])
      throw new RangeError("the footer has another count of its nulls");
    if (!isSame(chunk.statistics, expected))
      throw new RangeError("the footer has other bounds of its values");
  }
  return cells;
}

/** Some readers show the values of a dictionary, so it has each that is used once, and no other. */
function checkDictionary(cells: readonly Cell[], dictionary: readonly Cell[] | undefined): void {
  if (dictionary === undefined) return;
  const used = new Set(cells.filter((cell) => cell !== null));
  if (used.size !== dictionary.length)
    throw new RangeError("its dictionary has other values than it");
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

  /** Bytes that the pages still take with their headers, if they are not compressed. */
  get left(): number {
    return this.#left;
  }

  dictionary(column: Column, { rows }: Chunk): readonly Cell[] {
    if (!column.repeats) throw new RangeError("it has a dictionary");
    const { head, page, size } = this.#next(PAGE.dictionary, 7);
    if (head[2] !== ENCODING.plain || Object.keys(head).join() !== "1,2")
      throw new RangeError("its dictionary is not plain");
    const count = countIn(head[1], rows, "the count of its dictionary");
    return plainValues(inflate(page, size), column, count);
  }

  data(column: Column, most: number, dictionary: readonly Cell[] | undefined): readonly Cell[] {
    const { head, page, size } = this.#next(PAGE.data, 8);
    const count = countIn(head[1], most, "the count of a page");
    const nulls = countIn(head[2], column.hasNulls ? count : 0, "the nulls of a page");
    const levelBytes = countIn(head[5], Math.min(page.length, size), "the levels of a page");
    if (count === 0 || head[3] !== count || head[6] !== 0 || Object.keys(head).join() !== HEAD)
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
    const from = this.#reader.at;
    const header = this.#reader.struct();
    if (header[1] !== type || Object.keys(header).join() !== `1,2,3,${field}`)
      throw new RangeError("a page is not one of exports");
    const size = countIn(header[2], this.#left, "the size of a page");
    this.#left -= size + this.#reader.at - from;
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
  checkZstdFrame(bytes);
  const params = { [zlib.constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG };
  // At least 1, which zlib demands.
  const maxOutputLength = Math.max(1, size);
  const text = zlib.zstdDecompressSync(bytes, { maxOutputLength, params });
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
    // What is behind the width or the last number, other readers may take into account.
    const unused = isPacked ? (end - done) * width : width;
    for (let bit = unused; bit < own.length * 8; bit += 1)
      if (bitsAt(own, bit, 1) !== 0) throw new RangeError("a run has more bits than its numbers");
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
