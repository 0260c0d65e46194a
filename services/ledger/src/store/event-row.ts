// An event as the store's statements return it.

export interface EventRow {
  readonly sequence_number: string;
  readonly id: string;
  readonly action: string;
  readonly occurred_at: string;
  readonly received_at: string;
  readonly created_at: string;
  readonly digests: Buffer;
  readonly previous_hash: Buffer;
  readonly hash: Buffer;
  readonly actor: string;
  readonly context: string;
  readonly diff: string;
  readonly metadata: string;
  readonly target: string;
  readonly salts: Buffer;
}
