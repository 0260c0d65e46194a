// Reads the compact protocol of Thrift, in which Parquet keeps its footer and the headers of its pages.
// Called by parquet-footer.ts and parquet-column.ts. Its bytes come from a file that nothing vouches for: it
// must never build more than they hold, nor more than an export has in one struct. A number of 64 bits is a
// bigint, because another reader skips a field whose type is not the one that Parquet gives it.

/** A number, a truth value, bytes, a list, or a struct by the ids of its fields. */
export type Thrift = number | bigint | boolean | Buffer | readonly Thrift[] | ThriftStruct;

export interface ThriftStruct {
  readonly [field: number]: Thrift;
}

/** Values of one struct: a row group of an export has some 600. */
const MAX_VALUES = 4_096;
const MAX_DEPTH = 8;
const MAX_I32 = 2 ** 31 - 1;
const TYPE = { true: 1, false: 2, i32: 5, i64: 6, bytes: 8, list: 9, struct: 12 };
/** A list with this size has its size behind. */
const LONG_LIST = 15;
const MORE = 0x80;

export class ThriftReader {
  readonly #bytes: Buffer;
  #left = MAX_VALUES;
  #field = 0;
  /** The place of the next byte. */
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** The next bytes, a view. Throws RangeError, as all of them do. */
  take(length: number): Buffer {
    const from = this.at;
    if (length > this.#bytes.length - from) throw new RangeError("it ends too early");
    this.at += length;
    return this.#bytes.subarray(from, this.at);
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; factor <= Number.MAX_SAFE_INTEGER; factor *= MORE) {
      const [byte = 0] = this.take(1);
      value += (byte % MORE) * factor;
      if (byte === 0 && factor > 1) throw new RangeError("a number has more bytes than it needs");
      if (byte < MORE && value <= Number.MAX_SAFE_INTEGER) return value;
    }
    throw new RangeError("a number is too large");
  }

  /** A struct with all that is in it. */
  struct(): ThriftStruct {
    this.#left = MAX_VALUES;
    return this.#struct(0);
  }

  /** A field of the struct that is read field by field, which must have this id. */
  field(id: number): Thrift {
    this.#left = MAX_VALUES;
    return this.#value(this.#nextType(id), 0);
  }

  /** How many structs are in a list, which are read one by one. */
  listField(id: number): number {
    const type = this.#nextType(id);
    if (type !== TYPE.list) throw new RangeError(`its field ${id} is not a list`);
    const { of, size } = this.#listHead();
    if (size > 0 && of !== TYPE.struct) throw new RangeError(`its field ${id} has no structs`);
    return size;
  }

  /** Reads the end of the struct that is read field by field. */
  end(): void {
    if (this.take(1)[0] !== 0) throw new RangeError("it has an unknown field");
  }

  #nextType(id: number): number {
    const [byte = 0] = this.take(1);
    this.#field += byte >> 4;
    if (byte >> 4 === 0 || this.#field !== id) throw new RangeError(`it has no field ${id}`);
    return byte % 16;
  }

  #struct(depth: number): ThriftStruct {
    const fields: Record<number, Thrift> = {};
    let id = 0;
    for (;;) {
      const [byte = 0] = this.take(1);
      if (byte === 0) return fields;
      if (byte >> 4 === 0) throw new RangeError("its fields are out of order");
      id += byte >> 4;
      fields[id] = this.#value(byte % 16, depth);
    }
  }

  #value(type: number, depth: number): Thrift {
    this.#left -= 1;
    if (this.#left < 0 || depth > MAX_DEPTH) throw new RangeError("it has too many values");
    if (type === TYPE.true || type === TYPE.false) return type === TYPE.true;
    if (type === TYPE.i64) return BigInt(this.#integer());
    if (type === TYPE.i32) return this.#small(this.#integer());
    if (type === TYPE.bytes) return this.take(this.varint());
    if (type === TYPE.struct) return this.#struct(depth + 1);
    if (type !== TYPE.list) throw new RangeError("it has a value of an unknown type");
    const { of, size } = this.#listHead();
    // A truth value is in the type of its field: in a list it would take no bytes.
    if (size > this.#left || of === TYPE.true || of === TYPE.false)
      throw new RangeError("it has too many values");
    return Array.from({ length: size }, () => this.#value(of, depth + 1));
  }

  #integer(): number {
    const folded = this.varint();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  }

  #small(value: number): number {
    if (Math.abs(value) > MAX_I32) throw new RangeError("a number is too large");
    return value;
  }

  #listHead(): { readonly of: number; readonly size: number } {
    const [byte = 0] = this.take(1);
    const of = byte % 16;
    if (byte >> 4 < LONG_LIST) return { of, size: byte >> 4 };
    const size = this.varint();
    if (size < LONG_LIST) throw new RangeError("a number has more bytes than it needs");
    return { of, size };
  }
}

/** Throws RangeError unless it is an integer of 64 bits from 0 to `most`. */
export function longIn(value: Thrift | undefined, most: number, what: string): number {
  return countIn(typeof value === "bigint" ? Number(value) : undefined, most, what);
}

/** Throws RangeError unless it is an integer of 32 bits from 0 to `most`. */
export function countIn(value: Thrift | undefined, most: number, what: string): number {
  if (typeof value !== "number" || value < 0 || value > most)
    throw new RangeError(`${what} is not a number up to ${most}`);
  return value;
}

/** The fields of a struct. Any other value has no fields. */
export function fieldsOf(value: Thrift | undefined): ThriftStruct {
  return typeof value === "object" && !Array.isArray(value) ? value : {};
}

/** The values of a list. Any other value has no values. */
export function listOf(value: Thrift | undefined): readonly Thrift[] {
  return Array.isArray(value) ? value : [];
}

/** Whether two values are the same, with the types and in the order of their fields. */
export function isSame(one: Thrift | undefined, other: Thrift | undefined): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  if (Buffer.isBuffer(one) || Buffer.isBuffer(other))
    return Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [fields, others] = [Object.entries(one), Object.entries(other)];
  return (
    fields.length === others.length &&
    fields.every(([name, value], at) => name === others[at]?.[0] && isSame(value, others[at][1]))
  );
}
