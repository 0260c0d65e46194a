// A workload as the store's statements return it.

export interface WorkloadRow {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, string>>;
  readonly scopes: readonly string[];
  /** Networks as PostgreSQL spells them; null: any. */
  readonly allowed_ips: readonly string[] | null;
  readonly created_at: string;
}

/** The columns of such a row. */
export const WORKLOAD_COLUMNS =
  "id, name, issuer, subject, claims, scopes, allowed_ips::text[] AS allowed_ips, created_at";
