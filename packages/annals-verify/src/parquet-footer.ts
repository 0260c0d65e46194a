// Reads the footer of a Parquet export, and checks its digest, its columns and its bounds. Called by
// verify-parquet.ts. What a query reads of the footer, such as the bounds of a column, must be what the
// service wrote, so not one byte of it may be another one. It must never hold more of it than its bytes and
// one row group, whatever it claims.

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { BadLine } from "./bad-line.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { type Group, readGroups } from "./parquet-groups.ts";
import { COLUMNS } from "./parquet-row.ts";
import type { Source } from "./report.ts";
import { fieldsOf, isSame, listOf, type Thrift, ThriftReader } from "./thrift.ts";

export const MAGIC = Buffer.from("PAR1");

/** More than a footer of the largest export has. */
const FOOTER_MAX_BYTES = 256 * 1024 * 1024;
/** More than the schema of an export has. */
const SCHEMA_MAX_BYTES = 4096;
/** What a record of an export in another format may have. */
const ENTRIES_MAX_BYTES = 8 * 1024 * 1024;
const TAIL_BYTES = 8;
const PREFIX = "annals.";
const DIGEST_KEY = "annals.footer_sha256";
const DIGEST_CHARACTERS = 64;
/** All of them, in their order: a reader makes something of others, as pandas does of `pandas`. */
const ENTRIES = [
  ...["chain", "from_sequence", "to_sequence", "event_count"].map((name) => PREFIX + name),
  ...["previous_hash", "first_hash", "last_hash", "manifest"].map((name) => PREFIX + name),
  DIGEST_KEY,
];
const VERSION = 2;
const CREATED_BY = Buffer.from("annals");
/** Each column is in the order of its type. */
const ORDERS = COLUMNS.map(() => ({ 1: {} }));
const FIELD = { version: 1, schema: 2, rows: 3, groups: 4, entries: 5, createdBy: 6, orders: 7 };
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
  const manifest = readManifest(entries.get(`${PREFIX}manifest`) ?? "");
  if (!manifest.includeProofs)
    throw new BadLine("the export was made without proofs: nothing in it can be recomputed");
  if (manifest.sizeBytes !== size - length)
    throw new BadLine("manifest_mismatch: size_bytes is not that of the row groups");
  checkDigest(bytes, entries.get(DIGEST_KEY) ?? "");
  checkEntries(manifest, entries);
  const { groupCount: count, groupsAt: at } = content;
  const groups = () => readGroups(bytes, { at, count, from: MAGIC.length });
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
  readonly version: Thrift;
  readonly schema: Thrift;
  readonly rows: Thrift;
  readonly groupCount: number;
  /** The place of the row groups in the footer. */
  readonly groupsAt: number;
  readonly entries: ReadonlyMap<string, string>;
  readonly createdBy: Thrift;
  readonly orders: Thrift;
}

function contentOf(bytes: Buffer): Content {
  const reader = new ThriftReader(bytes);
  const version = reader.field(FIELD.version);
  const schema = smallField(reader, FIELD.schema, SCHEMA_MAX_BYTES);
  const rows = reader.field(FIELD.rows);
  const groupCount = reader.listField(FIELD.groups);
  const groupsAt = reader.at;
  for (let group = 0; group < groupCount; group += 1) reader.struct();
  const entries = entriesOf(listOf(smallField(reader, FIELD.entries, ENTRIES_MAX_BYTES)));
  const createdBy = reader.field(FIELD.createdBy);
  const orders = reader.field(FIELD.orders);
  reader.end();
  if (reader.at !== bytes.length) throw new RangeError("it has bytes behind its end");
  return { version, schema, rows, groupCount, groupsAt, entries, createdBy, orders };
}

/** A field that is made into texts, which may take many times its bytes. */
function smallField(reader: ThriftReader, id: number, most: number): Thrift {
  const from = reader.at;
  const value = reader.field(id);
  if (reader.at - from > most) throw new RangeError(`its field ${id} has over ${most} bytes`);
  return value;
}

function entriesOf(list: readonly Thrift[]): ReadonlyMap<string, string> {
  const entries = list.map((entry) => {
    const fields = fieldsOf(entry);
    const texts = [fields[1], fields[2]].map((field) => textOf(field));
    if (Object.keys(fields).join() !== "1,2" || texts.includes(undefined))
      throw new RangeError("it has an entry that is not a text");
    return texts.map(String) as [string, string];
  });
  const names = entries.map(([name]) => name);
  if (!names.includes(`${PREFIX}manifest`))
    throw new BadLine("the manifest is missing: not an export of Annals");
  if (names.join() !== ENTRIES.join())
    throw new BadLine("the entries of the footer are not those of exports");
  return new Map(entries);
}

function textOf(value: Thrift | undefined): string | undefined {
  return Buffer.isBuffer(value) && isUtf8(value) ? value.toString("utf8") : undefined;
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

/**
 * The columns must be those of exports, and the row groups take up the file before the footer with all rows.
 */
function checkGroups(groups: Iterable<Group>, content: Content, manifest: Manifest): void {
  const { createdBy, orders, rows, schema, version } = content;
  if (!isSame(schema, SCHEMA)) throw new BadLine("the columns are not those of exports");
  if (version !== VERSION || !isSame(createdBy, CREATED_BY) || !isSame(orders, ORDERS))
    throw new BadLine("the footer is not one of the service");
  let [at, found] = [MAGIC.length, 0];
  for (const group of groups) {
    at += group.bytes;
    found += group.rows;
  }
  if (at !== manifest.sizeBytes)
    throw new BadLine("manifest_mismatch: size_bytes is not that of the row groups");
  if (BigInt(found) !== rows) throw new BadLine("the footer counts other rows than its row groups");
}
