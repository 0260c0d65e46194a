// An account as the store's statements return it.

export interface AccountRow {
  readonly account_id: string;
  readonly name: string;
  readonly created_at: string;
  /** A count: bigint, so text. */
  readonly live_keys: string;
  /** Null for the default. */
  readonly plan: string | null;
}
