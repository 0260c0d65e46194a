// A key as the store's statements return it: what may be shown, never the secret's hash.

import { networkText } from "@annals/contract";

export interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly key_prefix: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  /** Null if it never expires. */
  readonly expires_at: string | null;
  /** Networks as PostgreSQL spells them; null if it may be used from anywhere. */
  readonly allowed_ips: readonly string[] | null;
  /** A day in UTC, YYYY-MM-DD; null if it was never used, or the day is not written yet. */
  readonly last_used_on: string | null;
}

/** The columns of such a row. */
export const API_KEY_COLUMNS = `api_keys.id, api_keys.name, key_prefix, scopes, created_at, expires_at,
  allowed_ips::text[] AS allowed_ips, last_used_on`;

/** PostgreSQL spells a single address with its length. */
export function allowedIpsOf({ allowed_ips }: Pick<ApiKeyRow, "allowed_ips">): string[] {
  return (allowed_ips ?? []).map((text) => networkText(text)?.text ?? text);
}
