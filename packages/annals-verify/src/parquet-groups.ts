// Reads what the footer of a Parquet export says of its row groups and their columns. Called by
// parquet-footer.ts. Each is compared with the one that the service writes, field by field, so that nothing
// is left of which another reader could make something else.

import { BadLine } from "./bad-line.ts";
import { type Column, COLUMNS } from "./parquet-row.ts";
import { fieldsOf, isSame, listOf, longIn, ThriftReader, type ThriftStruct } from "./thrift.ts";

/** What the service writes: a row group ends at 1 to 4 MiB of text, behind the event that exceeds it. */
const GROUP_MAX_ROWS = 16_384;
const GROUP_MAX_BYTES = 32 * 1024 * 1024;
const CODEC_ZSTD = 6;
const TYPE = { integer: 2, time: 2, text: 6 };
const PAGE = { dictionary: 2, data: 3 };
const ENCODING = { plain: 0, dictionary: 8 };

/** A column of a row group. */
export interface Chunk {
  readonly rows: number;
  /** Bytes in the file. */
  readonly bytes: number;
  /** Those before the values; 0 without a dictionary. */
  readonly dictionaryBytes: number;
  readonly uncompressed: number;
  /** Undefined for a column of which no query compares a range, as is the next. */
  readonly statistics: ThriftStruct | undefined;
  /** How many pages of values there are. */
  readonly pages: number;
}

export interface Group {
  readonly rows: number;
  readonly bytes: number;
  readonly chunks: readonly Chunk[];
}

/** Reads row groups one by one, which follow each other in the file from `from` on. Throws BadLine. */
export function* readGroups(
  footer: Buffer,
  { at, count, from }: { readonly at: number; readonly count: number; readonly from: number },
): Generator<Group> {
  const reader = new ThriftReader(footer, at);
  let next = from;
  for (let number = 0; number < count; number += 1) {
    const group = groupOf(reader.struct(), next);
    next += group.bytes;
    yield group;
  }
}

/** `from` is where the group begins in the file. */
function groupOf(fields: ThriftStruct, from: number): Group {
  const list = listOf(fields[1]);
  if (list.length !== COLUMNS.length || Object.keys(fields).join() !== "1,2,3,6")
    throw new BadLine("a row group is not stored as those of exports");
  const rows = longIn(fields[3], GROUP_MAX_ROWS, "the rows of a row group");
  let [at, uncompressed] = [from, 0];
  const chunks = COLUMNS.map((column, number) => {
    const chunk = chunkOf(fieldsOf(list[number]), column, { rows, at });
    at += chunk.bytes;
    uncompressed += chunk.uncompressed;
    return chunk;
  });
  const bytes = at - from;
  if (rows === 0 || uncompressed > GROUP_MAX_BYTES || bytes > GROUP_MAX_BYTES)
    throw new BadLine("a row group is larger than those of exports");
  if (fields[2] !== BigInt(uncompressed) || fields[6] !== BigInt(bytes))
    throw new BadLine("a row group has another size than its columns");
  return { rows, bytes, chunks };
}

function chunkOf(
  fields: ThriftStruct,
  column: Column,
  { at, rows }: { rows: number; at: number },
): Chunk {
  const of = fieldsOf(fields[3]);
  const bytes = longIn(of[7], GROUP_MAX_BYTES, "the size of a column");
  const uncompressed = longIn(of[6], GROUP_MAX_BYTES, "the size of a column");
  const dataAt = longIn(of[9], Number.MAX_SAFE_INTEGER, "the place of a column");
  const dictionaryBytes = dataAt - at;
  const hasDictionary = of[11] !== undefined;
  const statistics = column.isCompared ? fieldsOf(of[12]) : undefined;
  const pages = Number(fieldsOf(listOf(of[13]).at(-1))[3]);
  const expected = {
    2: BigInt(at),
    3: {
      1: TYPE[column.kind],
      2: hasDictionary ? [ENCODING.plain, ENCODING.dictionary] : [ENCODING.plain],
      3: [Buffer.from(column.name)],
      4: CODEC_ZSTD,
      5: BigInt(rows),
      6: BigInt(uncompressed),
      7: BigInt(bytes),
      9: BigInt(dataAt),
      ...(hasDictionary && { 11: BigInt(at) }),
      ...(statistics && { 12: statistics, 13: pagesOf(hasDictionary, pages) }),
    },
  };
  const isDictionary = hasDictionary
    ? dictionaryBytes > 0 && dictionaryBytes < bytes
    : dictionaryBytes === 0;
  if (!isDictionary || !isSame(fields, expected))
    throw new BadLine("a column is not stored as those of exports");
  return { rows, bytes, dictionaryBytes, uncompressed, statistics, pages };
}

/** What the footer says of the pages of a column: their type, their encoding, how many. */
function pagesOf(hasDictionary: boolean, pages: number): readonly ThriftStruct[] {
  const encoding = hasDictionary ? ENCODING.dictionary : ENCODING.plain;
  const data = { 1: PAGE.data, 2: encoding, 3: pages };
  return hasDictionary ? [{ 1: PAGE.dictionary, 2: ENCODING.plain, 3: 1 }, data] : [data];
}
