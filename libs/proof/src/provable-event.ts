// An event and its proof as the interface returns them. Whatever a check reads of them may be forged, so the
// checks take every member as unknown.

import type { Part } from "@annals/event/text";

export interface Proof {
  readonly v: number;
  /** The account's id. */
  readonly chain: string;
  /** Hexadecimal digits. The salt of a part that is hidden is absent. */
  readonly salts: Readonly<Partial<Record<Part, string>>>;
  readonly digests: Readonly<Record<Part, string>>;
}

export interface ProvableEvent extends Readonly<Partial<Record<Part, object>>> {
  readonly id: string;
  readonly sequence_number: number;
  readonly action: string;
  readonly hash: string;
  readonly previous_hash: string;
  readonly occurred_at: string;
  readonly received_at: string;
  readonly created_at: string;
  /** The names of its erased parts; absent if no part is erased. */
  readonly erased?: readonly string[] | undefined;
  readonly proof?: Proof | undefined;
}

/** The same, before anything of it is checked. */
export type Unchecked<Value> = { readonly [Name in keyof Value]?: unknown };
