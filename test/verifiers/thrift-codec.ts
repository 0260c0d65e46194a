// Thrift's compact protocol, both ways, for Parquet files that no writer makes. It shares no code with
// annals-verify. An integer of 64 bits is a bigint, one of 32 bits a number.

export type Thrift = number | bigint | boolean | Buffer | Raw | Thrift[] | ThriftStruct;
export interface ThriftStruct {
  [field: number]: Thrift;
}

/** Bytes that stand in the place of a value, whatever they say. */
export class Raw {
  readonly type: number;
  readonly bytes: Buffer;

  constructor(type: number, bytes: Buffer) {
    [this.type, this.bytes] = [type, bytes];
  }
}

export const LIST = 9;
export const STRUCT = 12;

export function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

function typeOf(value: Thrift): number {
  if (value instanceof Raw) return value.type;
  if (typeof value === "boolean") return value ? 1 : 2;
  if (typeof value === "number") return 5;
  if (typeof value === "bigint") return 6;
  if (Buffer.isBuffer(value)) return 8;
  return Array.isArray(value) ? LIST : STRUCT;
}

export function encode(value: Thrift): Buffer {
  if (value instanceof Raw) return value.bytes;
  if (typeof value === "boolean") return Buffer.alloc(0);
  if (typeof value === "number" || typeof value === "bigint") return varint(BigInt(value) * 2n);
  if (Buffer.isBuffer(value)) return Buffer.concat([varint(BigInt(value.length)), value]);
  if (Array.isArray(value)) {
    const [first] = value;
    const head = listHead(value.length, first === undefined ? 0 : typeOf(first));
    return Buffer.concat([head, ...value.map(encode)]);
  }
  let before = 0;
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const head = ((Number(name) - before) << 4) | typeOf(field as Thrift);
    before = Number(name);
    return [Buffer.of(head), encode(field as Thrift)];
  });
  return Buffer.concat([...fields, Buffer.of(0)]);
}

/** The head of a list, which may claim more values than it has. */
export function listHead(size: number, type: number): Buffer {
  if (size < 15) return Buffer.of((size << 4) | type);
  return Buffer.concat([Buffer.of(0xf0 | type), varint(BigInt(size))]);
}

/** Reads a struct, and says where it ends. */
export function decode(bytes: Buffer, from = 0): { value: ThriftStruct; end: number } {
  let at = from;
  const byte = (): number => bytes[at++] ?? 0;
  const unsigned = (): bigint => {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const next = byte();
      value |= BigInt(next & 0x7f) << shift;
      if (next < 0x80) return value;
      shift += 7n;
    }
  };
  const read = (type: number): Thrift => {
    if (type <= 2) return type === 1;
    if (type === 5) return Number(unsigned() / 2n);
    if (type === 6) return unsigned() / 2n;
    if (type === 8) {
      const length = Number(unsigned());
      return bytes.subarray(at, (at += length));
    }
    if (type === STRUCT) return struct();
    const head = byte();
    const size = head >> 4 === 15 ? Number(unsigned()) : head >> 4;
    return Array.from({ length: size }, () => read(head & 15));
  };
  const struct = (): ThriftStruct => {
    const fields: ThriftStruct = {};
    let id = 0;
    for (let head = byte(); head !== 0; head = byte()) {
      id += head >> 4;
      fields[id] = read(head & 15);
    }
    return fields;
  };
  return { value: struct(), end: at };
}
