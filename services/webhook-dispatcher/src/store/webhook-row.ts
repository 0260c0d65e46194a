// A webhook as the statements return it: what clients may see, never its secret.

import type { FilterColumns } from "../webhooks/rules/filter-history.ts";

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  readonly created_at: string;
  /** JSON text; null: it receives all events. */
  readonly filter: string | null;
}

/** A webhook as it is changed. */
export type LockedWebhookRow = WebhookRow & FilterColumns;

/** A webhook, and what the dispatcher reports about it. */
export interface ShownWebhookRow extends WebhookRow {
  readonly disabled_at: string | null;
  readonly disabled_reason: string | null;
  readonly dropped: string | null;
  readonly first_dropped: string | null;
  readonly last_dropped: string | null;
  readonly last_dropped_at: string | null;
}
