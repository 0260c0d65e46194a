// Leases (docs/adr/0083-leased-admissions.md): an answer of keys admits further requests with the same key
// for a moment, as many as keys has counted ahead. Called by admit-group.ts. A lease only admits: what it
// does not admit is asked of keys. It must never admit after its end, or more than was counted.

import type { Clock } from "@annals/contract";
import type { Admission as AdmissionMessage } from "@annals/proto/keys";

/** A lease has at most this part of the limit, so that what is left of those of a few gateways is little. */
const PART_OF_LIMIT = 32;
/** A limit whose part is smaller gets no lease: keys counts each request when it comes. */
const MIN_PART = 16;
/** Requests that are counted ahead at most, whatever the limit is. */
const MAX_AHEAD = 10_000;
/** Growth after a lease that was used up, and room above the use of one that was not. */
const GROWTH = 2;
const ROOM = 1.25;
/** Keys and windows; the one that was asked for least recently is forgotten first. */
const MAX_LEASES = 10_000;

const MS_PER_S = 1_000;
const US_PER_MS = 1_000;

/** A reading of both clocks: a machine that is suspended may stop the first, and the second may be set. */
interface Moment {
  readonly monotonicMs: number;
  readonly wallUs: number;
}

/** What keys was asked for, and when: read before the call. */
interface Asked {
  readonly at: Moment;
  readonly count: number;
  readonly ahead: number;
}

/** An answer that admits a request. */
export interface Leased {
  readonly answer: AdmissionMessage;
  readonly limit: number;
  /** Requests left in the window, those that are counted ahead included. */
  readonly remaining: number;
  /** Requests that are counted ahead and have not come. */
  readonly spare: number;
}

interface Lease {
  readonly answer: AdmissionMessage;
  readonly limit: number;
  readonly askedAt: Moment;
  /** When the first of the windows of the key and its account ends, or up to a second earlier. */
  readonly windowEnds: Moment;
  /** Requests left in the window besides those that are counted ahead. */
  readonly remaining: number;
  /** What was counted ahead when the lease began, those left over from earlier ones included. */
  readonly size: number;
  used: number;
  spare: number;
  /** Whether keys is being asked for the next one, so that two calls at a time do not both count ahead. */
  isRenewing: boolean;
}

export class Leases {
  readonly #clock: Pick<Clock, "nowMicros">;
  readonly #leases = new Map<string, Lease>();

  constructor(clock: Pick<Clock, "nowMicros">) {
    this.#clock = clock;
  }

  readonly now = (): Moment => ({
    monotonicMs: performance.now(),
    wallUs: this.#clock.nowMicros(),
  });

  /** Admits a request, or with the count 0 one that was counted before. Undefined: ask keys. */
  use(name: string, count: 0 | 1): Leased | undefined {
    const lease = this.#leases.get(name);
    if (!lease || lease.spare < count || hasEnded(lease, this.now())) return undefined;
    lease.used += count;
    lease.spare -= count;
    return leasedOf(lease);
  }

  /**
   * Takes a request that is counted ahead for one that waits: keys says only whether its key is still valid.
   * Returns how many are then left in the window, or undefined if none was counted ahead.
   */
  take(name: string): number | undefined {
    const lease = this.#leases.get(name);
    if (!lease || lease.spare === 0 || hasPassed(lease.windowEnds, this.now())) return undefined;
    lease.spare -= 1;
    return leasedOf(lease).remaining;
  }

  /** Requests of the key and window that are counted ahead and have not come. */
  spare(name: string): number {
    return this.#leases.get(name)?.spare ?? 0;
  }

  /**
   * How many requests to count ahead, beside `waiting` ones: none at the end of a window, where they would be
   * lost. At least one if nothing else is counted, so that the answer shows the window.
   */
  ahead(name: string, waiting: number): number {
    const lease = this.#leases.get(name);
    if (!lease) return 0;
    const least = waiting === 0 ? 1 : 0;
    if (lease.isRenewing || hasPassed(lease.windowEnds, this.now())) return least;
    lease.isRenewing = true;
    const { answer, limit, size, spare, used } = lease;
    const wanted = used >= size ? GROWTH * Math.max(size, waiting) : Math.ceil(ROOM * used);
    return Math.max(least, Math.min(wanted, partOf(limit, answer)) - spare);
  }

  /** Begins a lease by the answer, with what is left of the last one in the same window. */
  answered(name: string, asked: Asked, answer: AdmissionMessage, limit: number): void {
    const before = this.#leases.get(name);
    const isLeased = answer.leaseMs > 0 && partOf(limit, answer) >= MIN_PART;
    // Nothing was counted: the answer does not show the window.
    if (isLeased && asked.count + asked.ahead === 0) return;
    this.#leases.delete(name);
    const now = this.now();
    const isSameWindow = before !== undefined && !hasPassed(before.windowEnds, now);
    const known = isSameWindow && !showsAccount(answer) ? before : undefined;
    if (known?.answer.accountWindow)
      answer.accountWindow = { ...known.answer.accountWindow, isExceeded: false };
    const windowEnds = known?.windowEnds ?? endOf(asked.at, answer);
    if (!isLeased || hasPassed(windowEnds, now)) return;
    const granted = Math.max(0, answer.admitted - asked.count);
    const size = granted + (isSameWindow ? before.spare : 0);
    // The answer that was counted first may come last.
    const remaining = Math.min(answer.remaining, isSameWindow ? before.remaining : Infinity);
    const begun = { answer, limit, askedAt: asked.at, windowEnds, remaining, size };
    this.#leases.set(name, { ...begun, used: 0, spare: size, isRenewing: false });
    this.#forgetEnded(now);
  }

  #forgetEnded(now: Moment): void {
    for (const [name, { windowEnds }] of this.#leases) {
      if (!hasPassed(windowEnds, now) && this.#leases.size <= MAX_LEASES) return;
      this.#leases.delete(name);
    }
  }
}

function leasedOf({ answer, limit, remaining, spare }: Lease): Leased {
  return { answer, limit, remaining: remaining + spare, spare };
}

/** Whether a lease has ended, by either clock, or with a window in which its requests are counted. */
function hasEnded({ answer, askedAt, windowEnds }: Lease, now: Moment): boolean {
  return (
    now.monotonicMs - askedAt.monotonicMs >= answer.leaseMs ||
    Math.abs(now.wallUs - askedAt.wallUs) >= answer.leaseMs * US_PER_MS ||
    hasPassed(windowEnds, now)
  );
}

/** Whether a moment has passed, by whichever clock says so first. */
function hasPassed(end: Moment, now: Moment): boolean {
  return now.monotonicMs >= end.monotonicMs || now.wallUs >= end.wallUs;
}

/** If nothing was granted by the window of the key, that of the account was not read. */
function showsAccount({ accountWindow, admitted }: AdmissionMessage): boolean {
  return admitted > 0 || accountWindow?.isExceeded === true;
}

/** When the first of the two windows ends, or up to a second earlier. */
function endOf(at: Moment, { accountWindow, windowEndsInS }: AdmissionMessage): Moment {
  const endsInMs = (Math.min(windowEndsInS, accountWindow?.endsInS ?? 0) - 1) * MS_PER_S;
  return { monotonicMs: at.monotonicMs + endsInMs, wallUs: at.wallUs + endsInMs * US_PER_MS };
}

/** The most that is counted ahead: a part of the limit of the key, or of its account if that is lower. */
function partOf(limit: number, { accountWindow }: AdmissionMessage): number {
  const least = Math.min(limit, accountWindow?.limit ?? 0);
  return Math.min(MAX_AHEAD, Math.floor(least / PART_OF_LIMIT));
}
