// The text of an export file around its records, which the ledger renders: the header before them, and the
// manifest after them.

import { type ExportFormat } from "@annals/contract";
import { csvHeader, csvManifest } from "@annals/event";

/** A bundle of evidence has another form. */
export type RecordsFormat = Exclude<ExportFormat, "evidence">;

export interface FileFormat {
  readonly opening: (includeProofs: boolean) => string;
  /** `manifest` is JSON text without line breaks. */
  readonly closing: (manifest: string, includeProofs: boolean) => string;
}

export const FILE_FORMATS: Record<RecordsFormat, FileFormat> = {
  // A line with proofs is {"event":...,"proof":...}, as docs/hash-chain.md and its verifiers read it. A line
  // without proofs is the event alone. The manifest is the last line.
  jsonl: { opening: () => "", closing: (manifest) => `${manifest}\n` },
  csv: { opening: csvHeader, closing: csvManifest },
};
