// What a format of export files does: text before the events, text of an event, text of the
// manifest after them.

import type { EventText, ExportFormat, ProofText } from "@annals/contract";
import { csvEncoder } from "./csv.ts";
import { jsonlEncoder } from "./jsonl.ts";

export interface ExportedEvent extends EventText {
  readonly sequenceNumber: bigint;
  readonly proof?: ProofText | undefined;
}

export interface Encoder {
  readonly opening: string;
  /** Absent where the records are the lines that the ledger makes: nobody reads or renders them again. */
  readonly record?: (event: ExportedEvent) => string;
  /** `manifest` is JSON text without line breaks. */
  closing(manifest: string): string;
}

const ENCODERS: Record<ExportFormat, (includeProofs: boolean) => Encoder> = {
  jsonl: () => jsonlEncoder,
  csv: csvEncoder,
};

export function encoderOf(format: ExportFormat, includeProofs: boolean): Encoder {
  return ENCODERS[format](includeProofs);
}
