// A sink as the statements return it. Its configuration is sealed: only the handlers that show it without its
// secrets, and what sends, open it. Numbers of events are texts, as PostgreSQL returns them.

import type { SinkType } from "@annals/interface";
import type { OnRejected, SinkFormat } from "../rules/sink.ts";

export interface SinkRow {
  readonly account_id: string;
  readonly id: string;
  readonly type: SinkType;
  readonly format: SinkFormat;
  readonly config_key_id: string;
  readonly config_sealed: Buffer;
  /** JSON text; null: it is sent all events. */
  readonly filter: string | null;
  readonly leave_out: readonly string[];
  readonly include_proof: boolean;
  /** JSON text; null: the classes of the service. */
  readonly mapping: string | null;
  readonly on_rejected: OnRejected;
  readonly active: boolean;
  readonly created_at: string;
  /** Failed attempts since the last success. */
  readonly attempts: number;
}

/** A sink, and how far it is. Times are UTC with six fraction digits. */
export interface SinkStatusRow extends SinkRow {
  readonly cursor: string;
  readonly replays: number;
  readonly receiver_state: string | null;
  readonly checkpoint_from: string;
  readonly checkpoint_count: string;
  readonly sent_number: string | null;
  readonly sent_hash: string | null;
  readonly last_error: string | null;
  readonly last_delivered_at: string | null;
  readonly next_attempt_at: string;
  /** JSON text of an array of ranges; null: nothing was lost. */
  readonly lost: string | null;
  /** JSON text (rules/sink-refusals.ts); null: nothing is refused. */
  readonly refusals: string | null;
}
