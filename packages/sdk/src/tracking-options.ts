// The settings of track(), and what it tells the application. Used by tracker.ts and annals.ts.

import type { ErrorType } from "./annals-error.ts";
import type { Drop, TrackingSpool } from "./batch.ts";
import type { TrackingLimits } from "./tracking-limits.ts";

export const TRACKING_DEFAULTS = {
  batchEvents: 500,
  batchBytes: 1_000_000,
  maxWaitMs: 1_000,
};

/** Nothing was stored or dropped for a while, because attempts fail. */
export interface Stall {
  /** Of the last failure: `authentication_error`, for example. */
  readonly type: ErrorType | undefined;
  readonly status: number | undefined;
  /** Events that wait in the buffer. */
  readonly waiting: number;
}

export interface TrackingOptions {
  /** A spool of `@annals/sdk/spool`: events wait on disk, and outlive the process. */
  readonly spool?: TrackingSpool;
  /**
   * Called for each dropped event. By default, the count and the reason are logged with console.error.
   */
  readonly onDrop?: (drop: Drop) => void;
  /** Called for each failed attempt that will be repeated. */
  readonly onRetry?: (retry: { error: unknown; attempt: number; delayMs: number }) => void;
  /**
   * Called after 10 seconds without progress, and then each minute. By default, it is logged with
   * console.warn.
   */
  readonly onStall?: (stall: Stall) => void;
  /** The buffer's bound. By default 10,000 events and 32 MiB of JSON. */
  readonly maxEvents?: number;
  readonly maxBytes?: number;
  /** A bound that several clients share, in place of the two above. */
  readonly limits?: TrackingLimits;
  /**
   * A batch is sent once it has this many events or bytes: at most 1,000 and 4 MB, by default 500 and
   * 1,000,000.
   */
  readonly batchEvents?: number;
  readonly batchBytes?: number;
  /** The longest that an event waits for others. By default 1,000. */
  readonly maxWaitMs?: number;
}

export function logDrop({ reason, events, error }: Drop): void {
  const why = error instanceof Error ? `: ${error.message}` : "";
  // oxlint-disable-next-line no-console -- nothing is lost silently, even if no callback is set
  console.error(`annals: ${events.length} events were dropped (${reason})${why}`);
}

export function logStall({ type, status, waiting }: Stall): void {
  const what = `${type ?? "unknown error"}${status === undefined ? "" : `, status ${status}`}`;
  // oxlint-disable-next-line no-console -- a wrong key or address would be repeated silently
  console.warn(`annals: ${waiting} events are waiting to be sent, attempts fail (${what})`);
}
