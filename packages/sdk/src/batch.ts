// What track() sends and what becomes of it, as types: between the tracker and its deliveries.

import type { NewEvent } from "./types.ts";

/**
 * Why events were dropped. `full`: the buffer was. `refused`: the service found them invalid.
 * `unserializable`: they are no JSON. `quota`: the plan's events are used up for more than 23 hours.
 * `closed`: tracked after close(), or not sent in its time. `unconfirmed`: they were sent, no response came
 * in time, and they may be stored.
 */
export type DropReason = "full" | "refused" | "unserializable" | "quota" | "closed" | "unconfirmed";

export interface Drop {
  readonly reason: DropReason;
  readonly events: readonly NewEvent[];
  /** The last failure, if there was one. */
  readonly error: unknown;
}

export interface Batch {
  readonly key: string;
  /** The events as JSON. */
  readonly texts: readonly string[];
}

export interface Refusal {
  readonly kind: "refused";
  readonly error: unknown;
  /** The indexes of the events that were named. */
  readonly faulty: ReadonlySet<number>;
}

/** `refused`: nothing is stored. `closed`: the client was. */
export type Outcome =
  | { readonly kind: "stored" }
  | Refusal
  | { readonly kind: "quota" | "closed" | "unconfirmed"; readonly error: unknown };
