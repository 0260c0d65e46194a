// The form of an export file around the records that the ledger renders: what is before them, how they are
// written, and the manifest after them. Called by exports/worker/write-export.ts, with one form for each
// attempt.

import { type ExportFormat } from "@annals/contract";
import { BYTE_ORDER_MARK, csvHeader, csvManifest } from "@annals/event";
import { type ExportHead, manifestRecord, type Written } from "../../exports/rules/manifest.ts";
import { ParquetFile } from "./parquet-file.ts";

/** A bundle of evidence has another form. */
export type RecordsFormat = Exclude<ExportFormat, "evidence">;

/** The records that the ledger renders. */
export type LedgerFormat = Exclude<RecordsFormat, "csv_bom" | "parquet">;

export interface FileForm {
  readonly records: LedgerFormat;
  readonly opening: () => Uint8Array;
  /**
   * The bytes to write for some records, if there are any yet. `text` is of complete records. The bytes are
   * made when they are asked for, some milliseconds of work each, and valid until the next ones.
   */
  readonly body: (text: Uint8Array) => Iterable<Uint8Array>;
  /** The bytes that are left when all records were given, made in the same way. */
  readonly rest: () => Iterable<Uint8Array>;
  readonly closing: (head: ExportHead, written: Written) => Uint8Array;
}

const NOTHING = new Uint8Array();

export function fileForm(format: RecordsFormat, includeProofs: boolean): FileForm {
  return format === "parquet" ? parquetForm(includeProofs) : textForm(format, includeProofs);
}

/** `manifest` is JSON text without line breaks. */
const TEXTS = {
  // A line with proofs is {"event":...,"proof":...}, as docs/hash-chain.md and its verifiers read it. A line
  // without proofs is the event alone. The manifest is the last line.
  jsonl: { records: "jsonl", opening: () => "", closing: (manifest: string) => `${manifest}\n` },
  csv: { records: "csv", opening: csvHeader, closing: csvManifest },
  csv_bom: {
    records: "csv",
    opening: (includeProofs: boolean) => BYTE_ORDER_MARK + csvHeader(includeProofs),
    closing: csvManifest,
  },
} as const;

function textForm(format: keyof typeof TEXTS, includeProofs: boolean): FileForm {
  const { closing, opening, records } = TEXTS[format];
  return {
    records,
    opening: () => Buffer.from(opening(includeProofs)),
    body: (text) => [text],
    rest: () => [],
    closing: (head, written) => Buffer.from(closing(manifestRecord(head, written), includeProofs)),
  };
}

/** The manifest is in the footer, with its claims that queries need by themselves. */
function parquetForm(includeProofs: boolean): FileForm {
  const file = new ParquetFile(includeProofs);
  return {
    records: "jsonl",
    opening: () => NOTHING,
    *body(text) {
      const lines = Buffer.from(text.buffer, text.byteOffset, text.length).toString("utf8");
      for (const line of lines.split("\n")) {
        if (line === "") continue;
        file.add(line);
        if (file.isFull) yield* file.take();
      }
    },
    rest: () => file.take(),
    closing: (head, written) => {
      const claims = {
        chain: head.accountId,
        from_sequence: head.range.from,
        to_sequence: head.range.to,
        event_count: written.eventCount,
        previous_hash: written.first?.previousHash ?? "",
        first_hash: written.first?.hash ?? "",
        last_hash: written.last?.hash ?? "",
        manifest: manifestRecord(head, written),
      };
      return file.finish(
        Object.entries(claims).map(([name, value]) => ({
          key: `annals.${name}`,
          value: String(value),
        })),
      );
    },
  };
}
