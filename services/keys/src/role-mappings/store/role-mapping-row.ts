// A role mapping as the store's statements return it.

export interface RoleMappingRow {
  readonly id: string;
  readonly provider: string;
  readonly group_name: string | null;
  readonly subject: string | null;
  readonly role: string;
  readonly created_at: string;
}
