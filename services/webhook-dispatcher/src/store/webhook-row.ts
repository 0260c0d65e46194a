// A webhook as the store's statements return it: what may be shown, never its secret.

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  readonly created_at: string;
}
