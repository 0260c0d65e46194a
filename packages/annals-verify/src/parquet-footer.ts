// Reads the footer of a Parquet export, and checks its digest, its columns and its bounds. Called by
// verify-parquet.ts. What a query reads of the footer, such as the bounds of a column, must be what the
// service wrote, so not one byte of it may be another one. It must never hold more of it than its bytes and
// one row group, whatever it claims.

import { createHash } from "node:crypto";
import { BadLine } from "./bad-line.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { type Column, COLUMNS } from "./parquet-row.ts";
import type { Source } from "./report.ts";
import {
  countIn,
  fieldsOf,
  listOf,
  type Thrift,
  ThriftReader,
  type ThriftStruct,
} from "./thrift.ts";

export const MAGIC = Buffer.from("PAR1");

/** More than a footer of the largest export has. */
const FOOTER_MAX_BYTES = 256 * 1024 * 1024;
/** More than the schema of an export has. */
const SCHEMA_MAX_BYTES = 4096;
/** What a record of an export in another format may have. */
const ENTRIES_MAX_BYTES = 8 * 1024 * 1024;
/** What the service writes: a row group ends at 1 to 4 MiB of text, behind the event that exceeds it. */
const GROUP_MAX_ROWS = 16_384;
const GROUP_MAX_BYTES = 32 * 1024 * 1024;
const TAIL_BYTES = 8;
const PREFIX = "annals.";
const DIGEST_KEY = "annals.footer_sha256";
const DIGEST_CHARACTERS = 64;
const CODEC_ZSTD = 6;
const FIELD = { version: 1, schema: 2, rows: 3, groups: 4, entries: 5, createdBy: 6, orders: 7 };
/** Without indexes and filters, by which a query could leave out rows. */
const CHUNK_FIELDS = /^1,2,3,4,5,6,7,9(?:,11)?(?:,12)?(?:,13)?$/;
/** The count of nulls and the bounds, without the numbers that nothing here recomputes. */
const STATISTICS_FIELDS = /^[35678]?(?:,[5678])*$/;
/** The fields of a column's type. A time is in UTC and in microseconds. */
const KINDS = {
  integer: { 1: 2 },
  time: { 1: 2, 6: 10, 10: { 8: { 1: true, 2: { 2: {} } } } },
  text: { 1: 6, 6: 0 },
};
const SCHEMA = [
  { 4: Buffer.from("event"), 5: COLUMNS.length },
  ...COLUMNS.map(({ hasNulls, kind, name }) => ({
    ...KINDS[kind],
    3: Number(hasNulls),
    4: Buffer.from(name),
  })),
];

/** A column of a row group. */
export interface Chunk {
  readonly rows: number;
  /** Bytes in the file. */
  readonly bytes: number;
  /** Those before the values; 0 without a dictionary. */
  readonly dictionaryBytes: number;
  readonly uncompressed: number;
  readonly statistics: ThriftStruct;
}

export interface Group {
  readonly rows: number;
  readonly bytes: number;
  readonly chunks: readonly Chunk[];
}

export interface Footer {
  readonly manifest: Manifest;
  /** The footer, to the end of the file. */
  readonly bytes: Buffer;
  /** The row groups, which follow each other from the beginning of the file to the footer. */
  readonly groups: () => Iterable<Group>;
}

/** Throws BadLine. */
export async function readFooter(source: Source): Promise<Footer> {
  const { size } = source;
  const tail = await source.read(Math.max(0, size - TAIL_BYTES), size);
  if (size < MAGIC.length + TAIL_BYTES || !tail.subarray(-MAGIC.length).equals(MAGIC))
    throw new BadLine("the footer is missing: the end was cut off");
  const length = tail.readUInt32LE(0) + TAIL_BYTES;
  if (length > Math.min(size - MAGIC.length, FOOTER_MAX_BYTES))
    throw new BadLine("the footer is not complete");
  const bytes = await source.read(size - length, size);
  const content = reading(() => contentOf(bytes.subarray(0, -TAIL_BYTES)));
  const { entries } = content;
  const text = entries.get(`${PREFIX}manifest`);
  if (text === undefined) throw new BadLine("the manifest is missing: not an export of Annals");
  const manifest = readManifest(text);
  if (!manifest.includeProofs)
    throw new BadLine("the export was made without proofs: nothing in it can be recomputed");
  if (manifest.sizeBytes !== size - length)
    throw new BadLine("manifest_mismatch: size_bytes is not that of the row groups");
  checkDigest(bytes, entries.get(DIGEST_KEY) ?? "");
  checkEntries(manifest, entries);
  const groups = () => groupsIn(bytes, content);
  reading(() => checkGroups(groups(), content, manifest));
  return { manifest, bytes, groups };
}

/** Throws BadLine in place of RangeError. */
function reading<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BadLine(`the footer cannot be read: ${error.message}`);
  }
}

interface Content {
  readonly schema: string;
  readonly rows: Thrift;
  readonly groupCount: number;
  /** The place of the row groups in the footer. */
  readonly groupsAt: number;
  readonly entries: ReadonlyMap<string, string>;
}

function contentOf(bytes: Buffer): Content {
  const reader = new ThriftReader(bytes);
  reader.field(FIELD.version);
  const schema = JSON.stringify(smallField(reader, FIELD.schema, SCHEMA_MAX_BYTES));
  const rows = reader.field(FIELD.rows);
  const groupCount = reader.listField(FIELD.groups);
  const groupsAt = reader.at;
  for (let group = 0; group < groupCount; group += 1) reader.struct();
  const entries = entriesOf(listOf(smallField(reader, FIELD.entries, ENTRIES_MAX_BYTES)));
  reader.field(FIELD.createdBy);
  reader.field(FIELD.orders);
  reader.end();
  if (reader.at !== bytes.length) throw new RangeError("it has bytes behind its end");
  return { schema, rows, groupCount, groupsAt, entries };
}

/** A field that is made into texts, which may take many times its bytes. */
function smallField(reader: ThriftReader, id: number, most: number): Thrift {
  const from = reader.at;
  const value = reader.field(id);
  if (reader.at - from > most) throw new RangeError(`its field ${id} has over ${most} bytes`);
  return value;
}

function entriesOf(list: readonly Thrift[]): ReadonlyMap<string, string> {
  const texts = list.map((entry) => {
    const { 1: key, 2: value } = fieldsOf(entry);
    return [textOf(key), textOf(value)] as const;
  });
  const entries = new Map(texts);
  if (entries.size !== texts.length) throw new RangeError("it has an entry twice");
  return entries;
}

function textOf(value: Thrift | undefined): string {
  return Buffer.isBuffer(value) ? value.toString("utf8") : "";
}

/** The digest is over all bytes behind the row groups, with zeros in its own place. */
function checkDigest(bytes: Buffer, claimed: string): void {
  const key = bytes.lastIndexOf(DIGEST_KEY);
  const at = claimed === "" || key < 0 ? -1 : bytes.indexOf(claimed, key + DIGEST_KEY.length);
  if (claimed.length !== DIGEST_CHARACTERS || at < 0)
    throw new BadLine("the digest of the footer is missing");
  const digest = createHash("sha256")
    .update(bytes.subarray(0, at))
    .update("0".repeat(DIGEST_CHARACTERS))
    .update(bytes.subarray(at + DIGEST_CHARACTERS));
  if (digest.digest("hex") !== claimed)
    throw new BadLine("footer_mismatch: the footer was changed");
}

/** What queries may read by itself must be what the manifest says. */
function checkEntries(manifest: Manifest, entries: ReadonlyMap<string, string>): void {
  const { chain, eventCount, first, last, range } = manifest;
  const claims: Readonly<Record<string, string | number>> = {
    chain,
    from_sequence: range.from,
    to_sequence: range.to,
    event_count: eventCount,
    previous_hash: first?.previousHash ?? "",
    first_hash: first?.hash ?? "",
    last_hash: last?.hash ?? "",
  };
  for (const [name, claim] of Object.entries(claims))
    if (entries.get(`${PREFIX}${name}`) !== String(claim))
      throw new BadLine(`manifest_mismatch: the footer's ${PREFIX}${name} is another one`);
}

/** The row groups must take up the file before the footer, and have all rows. */
function checkGroups(groups: Iterable<Group>, { rows, schema }: Content, manifest: Manifest): void {
  if (schema !== JSON.stringify(SCHEMA)) throw new BadLine("the columns are not those of exports");
  let [at, found] = [MAGIC.length, 0];
  for (const group of groups) {
    at += group.bytes;
    found += group.rows;
  }
  if (at !== manifest.sizeBytes)
    throw new BadLine("manifest_mismatch: size_bytes is not that of the row groups");
  if (found !== rows) throw new BadLine("the footer counts other rows than its row groups");
}

function* groupsIn(bytes: Buffer, { groupCount, groupsAt }: Content): Generator<Group> {
  const reader = new ThriftReader(bytes, groupsAt);
  let at = MAGIC.length;
  for (let number = 0; number < groupCount; number += 1) {
    const group = groupOf(reader.struct(), at);
    at += group.bytes;
    yield group;
  }
}

/** `from` is where the group begins in the file. */
function groupOf(fields: ThriftStruct, from: number): Group {
  const list = listOf(fields[1]);
  if (list.length !== COLUMNS.length || Object.keys(fields).join() !== "1,2,3,6")
    throw new BadLine("a row group is not stored as those of exports");
  const rows = countIn(fields[3], GROUP_MAX_ROWS, "the rows of a row group");
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
  return { rows, bytes, chunks };
}

function chunkOf(
  fields: ThriftStruct,
  column: Column,
  { at, rows }: { rows: number; at: number },
): Chunk {
  const of = fieldsOf(fields[3]);
  const { 3: path, 4: codec, 5: values, 9: dataAt, 11: dictionaryAt = dataAt } = of;
  const statistics = fieldsOf(of[12]);
  const bytes = countIn(of[7], GROUP_MAX_BYTES, "the size of a column");
  const dictionaryBytes = Number(dataAt) - at;
  const isOurs =
    Object.keys(fields).join() === "2,3" &&
    CHUNK_FIELDS.test(Object.keys(of).join()) &&
    STATISTICS_FIELDS.test(Object.keys(statistics).join()) &&
    of[1] === KINDS[column.kind][1] &&
    isPathOf(path, column) &&
    codec === CODEC_ZSTD &&
    values === rows &&
    dictionaryAt === at &&
    dictionaryBytes >= 0 &&
    dictionaryBytes < bytes;
  if (!isOurs) throw new BadLine("a column is not stored as those of exports");
  const uncompressed = countIn(of[6], GROUP_MAX_BYTES, "the size of a column");
  return { rows, bytes, dictionaryBytes, uncompressed, statistics };
}

function isPathOf(path: Thrift | undefined, { name }: Column): boolean {
  const [only, ...others] = listOf(path);
  return Buffer.isBuffer(only) && others.length === 0 && only.equals(Buffer.from(name));
}
