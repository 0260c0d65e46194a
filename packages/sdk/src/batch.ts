// What track() sends and what becomes of it, as types: between annals.ts, the tracker, deliveries and spools.
// A spool is bundled apart from the client, so it knows the client by these types alone.

import type { Clock } from "./clock.ts";
import type { NewEvent } from "./types.ts";

/**
 * Why events were dropped. `full`: the buffer was. `refused`: the service found them invalid.
 * `unserializable`: they are no JSON. `quota`: the plan's events are used up for more than 23 hours.
 * `closed`: tracked after close(), or not sent in its time. `unconfirmed`: they were sent, no response came
 * in time, and they may be stored. `damaged`: their file on disk was changed.
 */
export type DropReason =
  | "full"
  | "refused"
  | "unserializable"
  | "quota"
  | "closed"
  | "unconfirmed"
  | "damaged";

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
  /** When the first attempt began after which the batch may be stored, if there was one. */
  readonly unknownSince?: number | undefined;
  /** Waits for the next month of the plan. */
  readonly isPatient?: boolean;
  /** Called before an attempt, with its time, as long as no earlier one may have stored the batch. */
  readonly onFirst?: (began: number) => Promise<void>;
  /** Called after such an attempt if it certainly had no effect. */
  readonly onRefused?: () => Promise<void>;
}

export interface Refusal {
  readonly kind: "refused";
  readonly error: unknown;
  /** The indexes of the events that were named. */
  readonly faulty: ReadonlySet<number>;
}

/**
 * `refused`: nothing is stored. `closed`: the client was. `unconfirmed`: it may be stored, and the client was
 * closed, or `isOver`: the life of its key.
 */
export type Outcome =
  | { readonly kind: "stored" }
  | Refusal
  | { readonly kind: "quota" | "closed"; readonly error: unknown }
  | { readonly kind: "unconfirmed"; readonly error: unknown; readonly isOver: boolean };

/** Sends the batches of one client. */
export interface Sending {
  /** Starts the time until the next warning again. */
  progress(): void;
  deliver(batch: Batch): Promise<Outcome>;
  /** Repeats a call without end, as a batch. Undefined once the client is closed. */
  repeat<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
  report(drop: Drop): void;
}

/** What {@link Annals} does for track(). */
export interface EventTracker {
  readonly buffered: number;
  track(event: NewEvent): boolean;
  ready(): Promise<void>;
  flush(): Promise<void>;
  close(timeoutMs?: number): Promise<void>;
}

/** What a spool needs of its client. */
export interface SpoolClient {
  readonly clock: Clock;
  readonly batchEvents: number;
  readonly batchBytes: number;
  readonly maxWaitMs: number;
  readonly apiKey: string | (() => string | Promise<string>);
  /** The id of the account of the API key, in one attempt. */
  readonly accountId: (signal: AbortSignal) => Promise<string>;
  /** `waiting` counts the events that are neither stored nor dropped. */
  readonly sending: (signal: AbortSignal, waiting: () => number) => Sending;
}

export interface TrackingSpool {
  /** Called once, by the client. */
  open(client: SpoolClient): EventTracker;
}
