// Makes the bytes of a Parquet file of events, a row group at a time (docs/exports.md). Called by
// file-format.ts. It never holds more than the rows of one group, and the same lines give the
// same bytes.

import { JSON_PARTS } from "@annals/event";
import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { writeColumn } from "hyparquet-writer/src/column.js";
import { encodeNestedValues } from "hyparquet-writer/src/dremel.js";
import { schemaPathResolver } from "hyparquet-writer/src/schema.js";
import { hash } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { membersIn } from "./json-members.ts";

/**
 * Characters of the lines of a row group. The footer of each group is kept until the end, 14 KB, so groups
 * grow with the file, by a MiB after each `growsAfter` of them.
 */
const GROUP_CHARACTERS = { first: 1024 * 1024, last: 4 * 1024 * 1024, growsAfter: 256 };
const GROUP_ROWS = 16_384;
const PAGE_BYTES = 1024 * 1024;
const COMPRESSORS = {
  ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes, { pledgedSrcSize: bytes.length }),
};

const NUMBER = "sequence_number";
const TEXTS = ["id", "action"] as const;
/** Columns whose values repeat. A dictionary of the others would only take memory. */
const REPEATED = ["action", "actor_type", "target_type"];
/**
 * Columns of which no query compares a range. Their bounds would also keep the texts of each row group in
 * memory until the end.
 */
const UNORDERED: readonly string[] = [...JSON_PARTS, "erased", "hash", "previous_hash", "proof"];
/** Copies of what the parts have, or null. */
const COPIES = ["actor_id", "actor_type", "target_id", "target_type"];
const TIMES = ["occurred_at", "received_at", "created_at"] as const;
const HASHES = ["hash", "previous_hash"] as const;
const MICROS = 1_000_000n;
const SECONDS_END = 19;
const FRACTION = { from: 20, to: 26 };

/** The name of the entry of the footer that has its digest, the last one. */
const FOOTER_DIGEST = "annals.footer_sha256";
const NO_DIGEST = "0".repeat(64);

type ColumnEncoder = Parameters<typeof writeColumn>[0]["column"];
type ColumnChunk = ReturnType<typeof writeColumn>["chunk"];

export interface FooterEntry {
  readonly key: string;
  readonly value: string;
}

export class ParquetFile {
  readonly #bytes = new ByteWriter();
  readonly #includeProofs: boolean;
  readonly #names: readonly string[];
  readonly #pathOf: ReturnType<typeof schemaPathResolver>;
  readonly #writer: ParquetWriter;
  #columns: unknown[][] = [];
  #groups = 0;
  #rows = 0;
  #characters = 0;

  constructor(includeProofs: boolean) {
    const schema = schemaOf(includeProofs);
    this.#includeProofs = includeProofs;
    this.#names = schema.slice(1).map(({ name }) => name);
    this.#pathOf = schemaPathResolver(schema);
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, createdBy: "annals" });
    this.#clear();
  }

  /** Whether the rows so far are a row group. */
  get isFull(): boolean {
    const { first, growsAfter, last } = GROUP_CHARACTERS;
    const characters = Math.min(last, first * (1 + Math.floor(this.#groups / growsAfter)));
    return this.#characters >= characters || this.#rows >= GROUP_ROWS;
  }

  /** Adds a line of JSON Lines, with its proof if the file has proofs. */
  add(line: string): void {
    const cells = cellsOf(line, this.#includeProofs);
    for (const [at, cell] of cells.entries()) this.#columns[at]?.push(cell);
    this.#rows += 1;
    this.#characters += line.length;
  }

  /**
   * Encodes the rows so far as a row group, a column at a time: encoding a MiB of all columns takes some
   * 30 ms, so the caller lets other work run between two columns. The bytes of a column are valid until the
   * next one is taken.
   */
  *take(): Generator<Uint8Array> {
    // The first bytes of a file without rows are those of its header.
    if (this.#rows === 0) return yield this.#flush();
    const begin = this.#bytes.offset;
    const columns: ColumnChunk[] = [];
    for (const [at, name] of this.#names.entries()) {
      columns.push(this.#encode(name, this.#columns[at] ?? []));
      yield this.#flush();
    }
    const rows = BigInt(this.#rows);
    this.#writer.num_rows += rows;
    this.#writer.row_groups.push({
      columns,
      total_byte_size: columns.reduce(
        (sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n),
        0n,
      ),
      num_rows: rows,
      total_compressed_size: BigInt(this.#bytes.offset - begin),
    });
    this.#groups += 1;
    this.#clear();
  }

  /** The bytes behind the last row group. Their digest is in them, over zeros in its own place. */
  finish(entries: readonly FooterEntry[]): Uint8Array {
    this.#writer.kvMetadata = [...entries, { key: FOOTER_DIGEST, value: NO_DIGEST }];
    void this.#writer.finish();
    const footer = Buffer.from(this.#flush());
    const at = footer.lastIndexOf(FOOTER_DIGEST) + FOOTER_DIGEST.length;
    const place = footer.indexOf(NO_DIGEST, at);
    footer.write(hash("sha256", footer), place, "latin1");
    return footer;
  }

  #encode(name: string, values: unknown[]): ColumnChunk {
    const path = this.#pathOf([name]);
    const schemaPath = path.map(({ element }) => element);
    const column: ColumnEncoder = {
      columnName: name,
      element: schemaPath.at(-1) as SchemaElement,
      schemaPath,
      codec: "ZSTD",
      compressors: COMPRESSORS,
      stats: !UNORDERED.includes(name),
      pageSize: PAGE_BYTES,
      columnIndex: false,
      offsetIndex: false,
      ...(!REPEATED.includes(name) && { encoding: "PLAIN" }),
    };
    const pageData = encodeNestedValues(path, values);
    return writeColumn({ writer: this.#bytes, column, pageData }).chunk;
  }

  #clear(): void {
    this.#columns = this.#names.map(() => []);
    this.#rows = 0;
    this.#characters = 0;
  }

  #flush(): Uint8Array {
    const bytes = this.#bytes.getBytes();
    this.#bytes.index = 0;
    return bytes;
  }
}

function schemaOf(includeProofs: boolean): SchemaElement[] {
  const columns: SchemaElement[] = [
    { name: NUMBER, type: "INT64", repetition_type: "REQUIRED" },
    ...TEXTS.map((name) => textColumn(name)),
    ...COPIES.map((name) => textColumn(name, "OPTIONAL")),
    ...TIMES.map((name) => timeColumn(name)),
    ...JSON_PARTS.map((name) => textColumn(name)),
    textColumn("erased", "OPTIONAL"),
    ...HASHES.map((name) => textColumn(name)),
    ...(includeProofs ? [textColumn("proof")] : []),
  ];
  return [{ name: "event", num_children: columns.length }, ...columns];
}

function textColumn(name: string, repetition: "REQUIRED" | "OPTIONAL" = "REQUIRED"): SchemaElement {
  return { name, type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: repetition };
}

function timeColumn(name: string): SchemaElement {
  return {
    name,
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
    repetition_type: "REQUIRED",
  };
}

/** The values of a row, in the order of the columns. */
function cellsOf(line: string, includeProofs: boolean): unknown[] {
  const outer = membersIn(line);
  const event = includeProofs ? membersIn(outer.get("event") ?? "") : outer;
  const json = (name: string): string => event.get(name) ?? "";
  const text = (name: string): string => JSON.parse(json(name)) as string;
  return [
    BigInt(json(NUMBER)),
    ...TEXTS.map(text),
    ...["actor", "target"].flatMap((part) => copiesOf(json(part))),
    ...TIMES.map((name) => microsOf(text(name))),
    // The text that was hashed.
    ...JSON_PARTS.map(json),
    event.get("erased") ?? null,
    ...HASHES.map(text),
    ...(includeProofs ? [outer.get("proof")] : []),
  ];
}

/** The id and the type of a part. */
function copiesOf(part: string): (string | null)[] {
  const object = JSON.parse(part) as Readonly<Record<string, unknown>>;
  return ["id", "type"].map((name) => {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    return typeof value === "string" ? value : null;
  });
}

/** `time` is UTC with six fraction digits. */
function microsOf(time: string): bigint {
  const seconds = BigInt(Date.parse(`${time.slice(0, SECONDS_END)}Z`) / 1_000);
  return seconds * MICROS + BigInt(time.slice(FRACTION.from, FRACTION.to));
}
