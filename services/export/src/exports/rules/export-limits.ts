// How many exports an account may have, how many bytes of them, and how many events they count in a day.
// Called by create-export.ts, and by get-usage.ts, which shows the same limits.

import { AnnalsError } from "@annals/errors";

export interface ExportLimits {
  /** Maximum number of pending and running exports. */
  readonly maxUnderWayPerAccount: number;
  /** Maximum number of all exports, unfinished ones included. */
  readonly maxKeptPerAccount: number;
  /** Maximum bytes of all files, unfinished ones included. */
  readonly maxBytesPerAccount: number;
}

/** The limits of an account. Its plan may set the maximum of bytes. */
export function limitsOf(limits: ExportLimits, maxExportBytes: bigint | undefined): ExportLimits {
  if (maxExportBytes === undefined) return limits;
  return { ...limits, maxBytesPerAccount: Number(maxExportBytes) };
}

/** Seconds after which an account with too many unfinished exports may try again. */
const RETRY_AFTER_S = 10;

/** Throws if the account may not create another export: `rate_limited` if waiting helps. */
export function checkLimits(
  { maxBytesPerAccount, maxUnderWayPerAccount, maxKeptPerAccount }: ExportLimits,
  has: { readonly bytes: number; readonly underWay: number; readonly kept: number },
): void {
  if (has.kept >= maxKeptPerAccount) {
    throw new AnnalsError(
      "plan_count_exceeded",
      `This account has ${maxKeptPerAccount} exports, which is the limit. Delete some, or wait until they expire.`,
    );
  }
  if (has.bytes >= maxBytesPerAccount) {
    throw new AnnalsError(
      "plan_count_exceeded",
      `The exports of this account have ${has.bytes} of ${maxBytesPerAccount} bytes, which is the limit. ` +
        "Delete some, or wait until they expire.",
    );
  }
  if (has.underWay >= maxUnderWayPerAccount) {
    throw new AnnalsError(
      "rate_limited",
      `This account has ${maxUnderWayPerAccount} unfinished exports, which is the limit. Wait until one finishes.`,
      { retryAfterS: RETRY_AFTER_S },
    );
  }
}

/** What an export counts at least: a file, a job and its entries are work, too. */
const MIN_COUNTED = 1_000n;
/** An event that is read and left out costs a sixteenth of one that is written, or less. */
const LEFT_OUT_PARTS = 16n;

interface Range {
  readonly afterSequence?: bigint | undefined;
  readonly beforeSequence?: bigint | undefined;
}

/** The events that an export counts in its day: those of its range, which has an end. */
export function countedEvents(range: Range): bigint {
  const events = eventsOf(range);
  return events > MIN_COUNTED ? events : MIN_COUNTED;
}

/** How many of them are given back when it has written `written` events. */
export function returnedEvents(range: Range, written: number): bigint {
  const kept =
    eventsOf(range) -
    ((LEFT_OUT_PARTS - 1n) * (eventsOf(range) - BigInt(written))) / LEFT_OUT_PARTS;
  return countedEvents(range) - (kept > MIN_COUNTED ? kept : MIN_COUNTED);
}

function eventsOf({ afterSequence = 0n, beforeSequence = 0n }: Range): bigint {
  const events = beforeSequence - afterSequence - 1n;
  return events > 0n ? events : 0n;
}
