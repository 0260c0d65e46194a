// Step 6 of the verification: how long each event waited until a quorum of witnesses, or a time stamp, had
// seen a head that covers it. What was rewritten can only be anchored at the time of the rewriting.

import { EvidenceFault } from "./evidence-fault.ts";
import type { BundleEvent } from "./bundle-event.ts";

/** A head that was seen at a time, in seconds since 1970. */
export interface Anchor {
  readonly size: number;
  readonly time: number;
}

export interface Waited {
  /** Seconds. */
  readonly longest: number;
  readonly sequenceNumber: number;
}

export class Anchoring {
  readonly #anchors: readonly Anchor[];
  /** Events up to this number are older than the log, or covered by a checkpoint that the caller kept. */
  readonly #exceptedThrough: number;
  /** Seconds. */
  readonly #maxLag: number;
  #at = 0;
  #late: EvidenceFault | undefined;
  excepted = 0;
  /** Events that no anchor covers. */
  unanchored = 0;
  waited: Waited | undefined;

  /** `anchors` in the order of their sizes. */
  constructor(anchors: readonly Anchor[], exceptedThrough: number, maxLag: number) {
    let time = Infinity;
    // Who saw a later head had seen all before it.
    const earliest = anchors.toReversed().map((anchor) => {
      time = Math.min(time, anchor.time);
      return { size: anchor.size, time };
    });
    this.#anchors = earliest.toReversed();
    this.#exceptedThrough = exceptedThrough;
    this.#maxLag = maxLag;
  }

  /** Takes the next event. */
  take({ createdAt, sequenceNumber }: Pick<BundleEvent, "createdAt" | "sequenceNumber">): void {
    while ((this.#anchors[this.#at]?.size ?? Infinity) < sequenceNumber) this.#at += 1;
    const anchor = this.#anchors[this.#at];
    if (this.#anchors.length === 0) {
      // Nothing shows how old the log is, so that nothing is older.
      this.unanchored += 1;
    } else if (sequenceNumber <= this.#exceptedThrough) {
      this.excepted += 1;
    } else if (anchor === undefined) {
      this.unanchored += 1;
    } else {
      const seconds = anchor.time - secondsOf(createdAt);
      if (seconds > (this.waited?.longest ?? -Infinity))
        this.waited = { longest: seconds, sequenceNumber };
      // The negation, so that a time that is not a number never passes.
      if (!(seconds <= this.#maxLag))
        this.#late ??= new EvidenceFault(
          "anchored_late",
          `sequence number ${sequenceNumber}: anchored ${Math.ceil(seconds)} s after it was created`,
        );
    }
  }

  /** Throws EvidenceFault (anchored_late) for the first event that waited too long. */
  check(): void {
    if (this.#late !== undefined) throw this.#late;
  }
}

/** Seconds since 1970. The text has microseconds, which a double keeps to well below one millisecond. */
export function secondsOf(time: string): number {
  return Date.parse(`${time.slice(0, 19)}Z`) / 1000 + Number(`0${time.slice(19, 26)}`);
}
