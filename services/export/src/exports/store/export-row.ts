// A job as the statements return it: what clients may see, and the name of its file.

import type { ExportFormat, ExportStatus } from "@annals/contract";

export interface ExportRow {
  readonly id: string;
  readonly status: ExportStatus;
  readonly format: ExportFormat;
  readonly filter_json: string;
  readonly include_proofs: boolean;
  readonly created_at: string;
  /** Null until completed, as are those below. */
  readonly event_count: string | null;
  readonly sha256: string | null;
  readonly size_bytes: string | null;
  readonly completed_at: string | null;
  readonly file: string | null;
}

/** What names a job. */
export interface JobKey {
  readonly account_id: string;
  readonly id: string;
}
