// What /v1 answers, as far as the screens show it (docs/interface.md). Types alone.

export const SCOPES = ["events:read", "events:write", "verify", "export", "keys:manage"] as const;
export const EVENT_NAMES = ["event.created", "event.verified", "export.completed", "*"] as const;
export const PARTS = ["actor.meta", "target.meta", "context", "diff", "metadata"] as const;

export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | undefined;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** Only in the answer that created it. */
  readonly key?: string;
  readonly key_prefix: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  /** Only in the answers that made it. */
  readonly secret?: string;
  readonly previous_secret_expires_at?: string;
  readonly created_at: string;
  readonly disabled_reason?: string;
  readonly disabled_at?: string;
  readonly dropped?: { readonly count: number; readonly last_at: string };
}

export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly status: "success" | "failed";
  readonly status_code: number | null;
  readonly attempts: number;
  readonly delivered_at?: string;
  readonly last_attempt_at?: string;
  readonly next_retry_at: string | null;
}

export interface Verification {
  readonly valid: boolean;
  readonly checked: number;
  readonly from_sequence: number;
  readonly to_sequence: number;
  readonly head: { readonly sequence_number: number; readonly hash: string };
  readonly first_invalid: {
    readonly sequence_number: number;
    readonly event_id: string | null;
    readonly reason: string;
  } | null;
  readonly verified_at: string;
}

export interface Export {
  readonly id: string;
  readonly status: "pending" | "running" | "completed" | "failed";
  readonly format: "jsonl" | "csv";
  readonly filter: Readonly<Record<string, unknown>>;
  readonly event_count: number | null;
  readonly sha256: string | null;
  readonly size_bytes: number | null;
  readonly created_at: string;
  readonly completed_at: string | null;
}

export interface WidgetToken {
  readonly id: string;
  /** Only in the answer that created it. */
  readonly token?: string;
  readonly token_prefix: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly parts: readonly string[];
  readonly origins: readonly string[];
  readonly viewer: { readonly id?: string; readonly name?: string } | null;
  readonly expires_at: string;
  readonly created_at: string;
}
