// A key as the store's statements return it: what may be shown, never the secret's hash.

export interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly key_prefix: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
}
