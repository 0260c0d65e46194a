// What a mapping makes of one item of a body: an event, or the reason why it has no event. Called by the
// mappings of intake, one file for each source, and by store-items.ts. A reason goes to the sender
// and into the log: it must never contain a value of the item.

import type { JsonObject } from "@annals/event";

/** An event of the interface, as a client would send it. */
export interface MappedEvent extends Record<string, unknown> {
  readonly action: string;
  readonly actor?: JsonObject;
  readonly target?: JsonObject;
  readonly context?: JsonObject;
  readonly metadata?: JsonObject;
  readonly occurred_at?: string;
}

interface Mapped {
  readonly event: MappedEvent;
  /** The same for each time that the source sends the item. Absent: a retry stores it again. */
  readonly idempotencyKey?: string;
  /**
   * Whether the key is completed with a digest of the event: if others than the source choose a part of
   * it, they must not be able to make two different items the same.
   */
  readonly isKeyOfContent?: boolean;
  /** Whether something large was replaced by its size and hash. */
  readonly isReduced?: boolean;
}

export type IntakeItem = Mapped | { readonly skipped: string } | { readonly rejected: string };

/** Thrown by what reads a member of an item; the message is the reason. */
export class Rejection extends Error {
  override readonly name = "Rejection";
}

/** The outcome of what happened, as `metadata.outcome` has it from every source. */
export type Outcome = "success" | "failure" | "unknown";
