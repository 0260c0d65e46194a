// What the footer of a Parquet export says of the values of a column: how many are null, and their bounds, by
// which a query leaves out a row group or answers without reading it. Called by parquet-column.ts. It makes
// exactly what the service writes, so that a bound that is only true cannot be told as the largest value.

import type { Cell } from "./parquet-row.ts";
import type { ThriftStruct } from "./thrift.ts";

const INTEGER_BYTES = 8;
/** Bytes of a bound of texts. A longer one is cut, and says so. */
const BOUND_BYTES = 16;
const LAST_CODE_POINT = 0x10ffff;
const SURROGATES = { first: 0xd800, behind: 0xe000 };

export function statisticsOf(cells: readonly Cell[]): ThriftStruct {
  const values = cells.filter((cell) => cell !== null).map(bytesOf);
  const nulls = BigInt(cells.length - values.length);
  const [first, ...others] = values;
  if (first === undefined) return { 3: nulls };
  let [least, most] = [first, first];
  for (const value of others) {
    if (compare(value, least) < 0) least = value;
    if (compare(value, most) > 0) most = value;
  }
  const [low, high] = [lowBound(least.bytes), highBound(most.bytes)];
  return {
    3: nulls,
    5: high,
    6: low,
    ...(high !== most.bytes && { 7: false }),
    ...(low !== least.bytes && { 8: false }),
  };
}

interface Value {
  readonly cell: string | bigint;
  readonly bytes: Buffer;
}

function bytesOf(cell: string | bigint): Value {
  if (typeof cell === "string") return { cell, bytes: Buffer.from(cell) };
  const bytes = Buffer.alloc(INTEGER_BYTES);
  bytes.writeBigInt64LE(cell);
  return { cell, bytes };
}

function compare(one: Value, other: Value): number {
  if (typeof one.cell === "string" || typeof other.cell === "string")
    return Buffer.compare(one.bytes, other.bytes);
  return one.cell < other.cell ? -1 : Number(one.cell > other.cell);
}

/** The same, or its beginning, which ends with a whole character. */
function lowBound(text: Buffer): Buffer {
  return text.length <= BOUND_BYTES ? text : text.subarray(0, endOfCharacters(text));
}

/** The same, or a text above it: its beginning with another last character. */
function highBound(text: Buffer): Buffer {
  if (text.length <= BOUND_BYTES) return text;
  const characters = Array.from(text.toString("utf8", 0, endOfCharacters(text)));
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    if (code === LAST_CODE_POINT) continue;
    const next = code + 1 === SURROGATES.first ? SURROGATES.behind : code + 1;
    const bound = Buffer.from(characters.join("") + String.fromCodePoint(next));
    if (bound.length <= BOUND_BYTES) return bound;
  }
  return text;
}

function endOfCharacters(text: Buffer): number {
  let end = BOUND_BYTES;
  while (end > 0 && ((text[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
