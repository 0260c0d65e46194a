// A widget token as the store's statements return it: what may be shown, never the secret's hash.

export interface WidgetTokenRow {
  readonly id: string;
  readonly token_prefix: string;
  readonly filter_json: string;
  readonly parts: readonly string[];
  readonly origins: readonly string[];
  readonly viewer_id: string | null;
  readonly viewer_name: string | null;
  readonly created_at: string;
  readonly expires_at: string;
}
