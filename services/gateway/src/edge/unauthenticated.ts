// Bounds what requests without a valid key cost. Called by admission.ts for well-formed keys, before it asks
// the keys service, and by answer-error.ts. Each client address has a budget of such requests. Beyond it
// their answers are delayed, and only keys that were admitted lately are looked up, so that nobody can lock
// out the clients behind the same proxy. It must never admit anybody: it only refuses and delays.

import { keyHash } from "@annals/contract";
import { AnnalsError } from "@annals/errors";

/** Addresses and keys that are remembered; the oldest is forgotten first. */
const MAX_ADDRESSES = 10_000;
const MAX_KEYS = 20_000;
/** An address may use so many seconds of its budget at once, and be so many seconds beyond it. */
const BURST_S = 10;
const MAX_DEBT_S = 20;
const MS_PER_S = 1_000;

interface Spent {
  readonly count: number;
  readonly atMs: number;
}

export interface UnauthenticatedOptions {
  readonly perSecond: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly onRefused: () => void;
}

export class Unauthenticated {
  readonly #options: UnauthenticatedOptions;
  readonly #spent = new Map<string, Spent>();
  /** SHA-256 of keys, with their ids. */
  readonly #admitted = new Map<string, string>();
  readonly #admittedIds = new Set<string>();

  constructor(options: UnauthenticatedOptions) {
    this.#options = options;
  }

  /** Throws `rate_limited` (429) when `address` has used up its budget and `key` was not admitted lately. */
  check(address: string, key: string): void {
    if (!this.isOver(address) || this.#admitted.has(digest(key))) return;
    this.#options.onRefused();
    const message = "Too many requests without a valid key came from this address. Try again.";
    throw new AnnalsError("rate_limited", message, { retryAfterS: 1 });
  }

  isOver(address: string): boolean {
    return this.#spent.size > 0 && this.#count(address) >= BURST_S * this.#options.perSecond;
  }

  /** By its id a key is recognised without another hash. */
  admitted(key: string, keyId: string): void {
    if (this.#admittedIds.has(keyId)) return;
    this.#admittedIds.add(keyId);
    this.#admitted.set(digest(key), keyId);
    const [oldest] = this.#admitted.keys();
    if (this.#admitted.size > MAX_KEYS && oldest !== undefined) this.#forget(oldest);
  }

  /** The key is unknown, or was revoked. */
  unknown(key: string): void {
    this.#forget(digest(key));
  }

  /** A request of `address` was refused before anybody was authenticated. */
  refused(address: string): void {
    const { perSecond, now } = this.#options;
    const count = Math.min(this.#count(address) + 1, MAX_DEBT_S * perSecond);
    this.#spent.delete(address);
    this.#spent.set(address, { count, atMs: now() });
    const [oldest] = this.#spent.keys();
    if (this.#spent.size > MAX_ADDRESSES && oldest !== undefined) this.#spent.delete(oldest);
  }

  #forget(known: string): void {
    this.#admittedIds.delete(this.#admitted.get(known) ?? "");
    this.#admitted.delete(known);
  }

  #count(address: string): number {
    const { perSecond, now } = this.#options;
    const spent = this.#spent.get(address);
    if (spent === undefined) return 0;
    return Math.max(0, spent.count - ((now() - spent.atMs) / MS_PER_S) * perSecond);
  }
}

function digest(key: string): string {
  return keyHash(key).toString("base64");
}
