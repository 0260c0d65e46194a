// Verifies a chain row by row: no missing number, each event linked to the previous one, the digests of its
// parts, the hash of its leaf. A row is also invalid if its payload is missing, or if a filter column differs
// from the parts. It is pure; verify-range.ts passes it rows in order.

import { checkLeaf, type Part } from "@annals/event";
import type { InvalidReason } from "@annals/contract";

/** The bit of `erased` that says that retention has deleted the event. */
const DELETED = 32;

export interface FirstInvalid {
  readonly sequenceNumber: number;
  /** Undefined if that number has no row. */
  readonly eventId: string | undefined;
  readonly reason: InvalidReason;
  /** Set if the event is right, and the filter index is not. */
  readonly index?: IndexFault;
}

/** What differs in a segment of the filter index (0001_ledger.sql). */
export interface IndexFault {
  readonly level: 0 | 1;
  readonly base: number;
  /** `field` and its number, `times`, or the runs by `minutes` or `quarters`. */
  readonly differs: string;
}

/** A row of the chain as stored. */
export interface ChainRow {
  readonly sequenceNumber: number;
  readonly id: string;
  readonly action: string;
  readonly occurredAt: string;
  readonly receivedAt: string;
  readonly createdAt: string;
  readonly digests: Buffer;
  readonly previousHash: string;
  readonly hash: string;
  readonly payload: ChainPayload | undefined;
}

export interface ChainPayload extends Readonly<Record<Part, string>> {
  readonly salts: Buffer;
  /** The erased parts (libs/event/src/erased-parts.ts). */
  readonly erased: number;
  readonly actorId: string | undefined;
  readonly actorType: string | undefined;
  readonly targetId: string | undefined;
  readonly targetType: string | undefined;
}

/** Consecutive rows that PostgreSQL recomputed: valid, and linked from the first to the last. */
export interface ValidBlock {
  /** Both ends included. */
  readonly from: number;
  readonly to: number;
  /** The previous hash of the first row. */
  readonly previousHash: string;
  /** The hash of the last row. */
  readonly hash: string;
  /** Whether a part of one of its events is erased. */
  readonly hasErased: boolean;
}

/** Sequence numbers, both included. */
interface Numbers {
  readonly from: number;
  readonly to: number;
}

export class ChainVerifier {
  readonly #chain: string;
  readonly #leavesTo: number;
  #next: number;
  #previousHash: string;
  #checked = 0;
  #firstInvalid: FirstInvalid | undefined;
  readonly #erased: Numbers[] = [];

  /**
   * Begins at the event after `anchor`: the genesis, or the event before the range. Up to `leavesTo`,
   * retention may have left only the leaf of an event.
   */
  constructor(
    chain: string,
    anchor: { readonly sequenceNumber: number; readonly hash: string },
    leavesTo = 0,
  ) {
    this.#chain = chain;
    this.#leavesTo = leavesTo;
    this.#next = anchor.sequenceNumber + 1;
    this.#previousHash = anchor.hash;
  }

  /** Number of rows checked, the first invalid one included. */
  get checked(): number {
    return this.#checked;
  }

  get firstInvalid(): FirstInvalid | undefined {
    return this.#firstInvalid;
  }

  /** The ranges with erased parts, in ascending order. Not every event of a range has one. */
  get erased(): readonly Numbers[] {
    return this.#erased;
  }

  /** The number of the next row, and the hash that it must link to. */
  get tip(): { readonly next: number; readonly hash: string } {
    return { next: this.#next, hash: this.#previousHash };
  }

  /** Adds the next rows in ascending order. Stops at the first invalid one. */
  take(rows: readonly ChainRow[]): void {
    for (const row of rows) {
      if (row.sequenceNumber !== this.#next)
        return this.fail(this.#next, undefined, "sequence_gap");
      this.#checked += 1;
      const fault = this.#faultOf(row);
      if (fault) return this.fail(row.sequenceNumber, row.id, fault);
      if (row.payload?.erased) this.#addErased(row.sequenceNumber, row.sequenceNumber);
      this.#next += 1;
      this.#previousHash = row.hash;
    }
  }

  /** Adds the next rows as a block. If the block does not continue here, returns false and adds nothing. */
  takeBlock({ from, to, previousHash, hash, hasErased }: ValidBlock): boolean {
    if (from !== this.#next || previousHash !== this.#previousHash) return false;
    this.#checked += to - from + 1;
    if (hasErased) this.#addErased(from, to);
    this.#next = to + 1;
    this.#previousHash = hash;
    return true;
  }

  /** Records what is invalid. Only the first call counts. */
  fail(sequenceNumber: number, eventId: string | undefined, reason: InvalidReason): void {
    this.#firstInvalid ??= { sequenceNumber, eventId, reason };
  }

  #addErased(from: number, to: number): void {
    const last = this.#erased.at(-1);
    if (last && last.to === from - 1) this.#erased.splice(-1, 1, { from: last.from, to });
    else this.#erased.push({ from, to });
  }

  #faultOf(row: ChainRow): InvalidReason | undefined {
    if (row.previousHash !== this.#previousHash) return "link_mismatch";
    const { payload } = row;
    if (!payload || !filtersAgree(payload)) return "digest_mismatch";
    const { erased, salts } = payload;
    // Lists leave such an event out.
    if ((erased & DELETED) !== 0 && row.sequenceNumber > this.#leavesTo)
      return "erasure_unrecorded";
    return checkLeaf({ ...row, chain: this.#chain, parts: payload, salts, erased });
  }
}

function filtersAgree(payload: ChainPayload): boolean {
  return (
    agrees(payload.actor, payload.actorId, payload.actorType) &&
    agrees(payload.target, payload.targetId, payload.targetType)
  );
}

function agrees(part: string, id: string | undefined, type: string | undefined): boolean {
  if (part === "{}") return id === undefined && type === undefined;
  try {
    const value = JSON.parse(part) as { readonly id?: unknown; readonly type?: unknown };
    return value.id === id && value.type === type;
  } catch {
    return false;
  }
}
