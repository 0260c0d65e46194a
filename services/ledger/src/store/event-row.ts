// An event as the store's statements return it.

import type { Part } from "@annals/event";

export interface EventRow extends Readonly<Record<Part, string>> {
  readonly sequence_number: string;
  readonly id: string;
  readonly action: string;
  readonly occurred_at: string;
  readonly received_at: string;
  readonly created_at: string;
  readonly digests: Buffer;
  readonly previous_hash: Buffer;
  readonly hash: Buffer;
  readonly salts: Buffer;
  /** The erased parts (libs/event/src/erased-parts.ts). */
  readonly erased: number;
}
