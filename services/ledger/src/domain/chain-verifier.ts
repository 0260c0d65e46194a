// Verifies a chain row by row: that no number is missing, that each event links to the one before,
// that its stored parts have the digests and its leaf the hash. Nothing is taken on trust: a row
// whose payload is gone, whose filter columns say other than its parts, or that a list by time would
// not find, is as broken as one that was changed. It is pure; the handler feeds it rows in order.

import { checkLeaf, type Part } from "@annals/event";
import type { InvalidReason } from "@annals/contract";

export interface FirstInvalid {
  readonly sequenceNumber: number;
  /** Undefined where no row stands at that number. */
  readonly eventId: string | undefined;
  readonly reason: InvalidReason;
}

/** A row of the chain as stored; null for what is missing of its payload. */
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
  /** False where lists by time would pass over it. */
  readonly isListed: boolean;
  readonly payload: ChainPayload | undefined;
}

export interface ChainPayload extends Readonly<Record<Part, string>> {
  readonly salts: Buffer;
  readonly actorId: string | undefined;
  readonly actorType: string | undefined;
  readonly targetId: string | undefined;
  readonly targetType: string | undefined;
}

/** A run of rows that were recomputed elsewhere: whole, and linked from the first to the last. */
export interface WholeBlock {
  /** Both ends included. */
  readonly from: number;
  readonly to: number;
  /** Of the first row. */
  readonly previousHash: string;
  /** Of the last row. */
  readonly hash: string;
}

export class ChainVerifier {
  readonly #chain: string;
  #next: number;
  #previousHash: string;
  #checked = 0;
  #firstInvalid: FirstInvalid | undefined;

  /** Begins at the event after `anchor`: the genesis, or the event before the range. */
  constructor(chain: string, anchor: { readonly sequenceNumber: number; readonly hash: string }) {
    this.#chain = chain;
    this.#next = anchor.sequenceNumber + 1;
    this.#previousHash = anchor.hash;
  }

  /** Rows looked at, the first invalid one included. */
  get checked(): number {
    return this.#checked;
  }

  get firstInvalid(): FirstInvalid | undefined {
    return this.#firstInvalid;
  }

  /** The number that the next row has to have, and the hash that it has to link to. */
  get tip(): { readonly next: number; readonly hash: string } {
    return { next: this.#next, hash: this.#previousHash };
  }

  /** Takes the next rows in ascending order. After the first invalid one no other is looked at. */
  take(rows: readonly ChainRow[]): void {
    for (const row of rows) {
      if (row.sequenceNumber !== this.#next)
        return this.fail(this.#next, undefined, "sequence_gap");
      this.#checked += 1;
      const fault = this.#faultOf(row);
      if (fault) return this.fail(row.sequenceNumber, row.id, fault);
      this.#next += 1;
      this.#previousHash = row.hash;
    }
  }

  /** Takes the next rows as a block, where it goes on from here; answers whether it does. */
  takeBlock({ from, to, previousHash, hash }: WholeBlock): boolean {
    if (from !== this.#next || previousHash !== this.#previousHash) return false;
    this.#checked += to - from + 1;
    this.#next = to + 1;
    this.#previousHash = hash;
    return true;
  }

  /** Notes what is invalid; the first one stays. */
  fail(sequenceNumber: number, eventId: string | undefined, reason: InvalidReason): void {
    this.#firstInvalid ??= { sequenceNumber, eventId, reason };
  }

  #faultOf(row: ChainRow): InvalidReason | undefined {
    if (row.previousHash !== this.#previousHash) return "link_mismatch";
    const { payload } = row;
    if (!payload || !filtersAgree(payload)) return "digest_mismatch";
    const { salts } = payload;
    const fault = checkLeaf({ ...row, chain: this.#chain, parts: payload, salts });
    return fault ?? (row.isListed ? undefined : "digest_mismatch");
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
