// Reads the footer of a Parquet export, and checks its digest, its columns and its bounds. Called by
// verify-parquet.ts. What a query reads of the footer, such as the bounds of a column, must be what the
// service wrote, so not one byte of it may be another one.

import { type FileMetaData, parquetMetadata, type SchemaElement } from "hyparquet";
import { createHash } from "node:crypto";
import { BadLine } from "./bad-line.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { COLUMNS } from "./parquet-row.ts";
import type { Source } from "./report.ts";

export const MAGIC = Buffer.from("PAR1");

/** More than a footer of the largest export has. */
const FOOTER_MAX_BYTES = 256 * 1024 * 1024;
/** What the service writes: a row group of at most these rows, and of events of 64 KiB. */
const GROUP_MAX_ROWS = 16_384;
export const GROUP_MAX_BYTES = 256 * 1024 * 1024;
const TAIL_BYTES = 8;
const PREFIX = "annals.";
const DIGEST_KEY = "annals.footer_sha256";
const DIGEST_CHARACTERS = 64;

export interface Footer {
  readonly manifest: Manifest;
  readonly metadata: FileMetaData;
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
  const metadata = metadataOf(await source.read(size - length, size));
  const entries = new Map(
    metadata.key_value_metadata?.map(({ key, value }) => [key, value ?? ""] as const),
  );
  const text = entries.get(`${PREFIX}manifest`);
  if (text === undefined) throw new BadLine("the manifest is missing: not an export of Annals");
  const manifest = readManifest(text);
  if (!manifest.includeProofs)
    throw new BadLine("the export was made without proofs: nothing in it can be recomputed");
  await checkDigest(source, manifest, { entries, length });
  checkEntries(manifest, entries);
  checkColumns(metadata);
  return { manifest, metadata };
}

/** `bytes` end with the length and the magic. */
function metadataOf(bytes: Buffer): FileMetaData {
  try {
    const copy = new Uint8Array(bytes).buffer;
    return parquetMetadata(copy, { geoparquet: false });
  } catch (error) {
    throw new BadLine(`the footer cannot be read: ${(error as Error).message}`);
  }
}

/** The digest is over all bytes behind the row groups, with zeros in its own place. */
async function checkDigest(
  source: Source,
  { sizeBytes }: Manifest,
  { entries, length }: { entries: ReadonlyMap<string, string>; length: number },
): Promise<void> {
  const { size } = source;
  const most = Math.min(size - length, size);
  if (sizeBytes > most || size - sizeBytes > FOOTER_MAX_BYTES)
    throw new BadLine("manifest_mismatch: size_bytes is not that of the row groups");
  const bytes = await source.read(sizeBytes, size);
  const claimed = entries.get(DIGEST_KEY) ?? "";
  const key = bytes.lastIndexOf(DIGEST_KEY);
  const at = claimed === "" || key < 0 ? -1 : bytes.indexOf(claimed, key + DIGEST_KEY.length);
  if (claimed.length !== DIGEST_CHARACTERS || at < 0)
    throw new BadLine("the digest of the footer is missing");
  bytes.fill("0", at, at + DIGEST_CHARACTERS);
  if (createHash("sha256").update(bytes).digest("hex") !== claimed)
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

function checkColumns({ row_groups: groups, schema }: FileMetaData): void {
  const columns = schema.slice(1).map((element) => columnText(element));
  if (columns.join() !== COLUMNS.join()) throw new BadLine("the columns are not those of exports");
  for (const { columns: chunks, num_rows: rows } of groups) {
    let bytes = 0n;
    for (const { file_path: path, meta_data: of } of chunks) {
      bytes += of?.total_uncompressed_size ?? BigInt(GROUP_MAX_BYTES);
      const isOurs = of?.codec === "ZSTD" && of.num_values === rows && path === undefined;
      if (!isOurs) throw new BadLine("a column is not stored as those of exports");
    }
    if (rows > GROUP_MAX_ROWS || bytes > GROUP_MAX_BYTES || chunks.length !== COLUMNS.length)
      throw new BadLine("a row group is larger than those of exports");
  }
}

function columnText({ name, type, converted_type, repetition_type }: SchemaElement): string {
  const nulls = repetition_type === "OPTIONAL" ? "null" : undefined;
  return [name, type, converted_type, nulls].filter((text) => text !== undefined).join(" ");
}
