// Bounds what requests with unknown keys cost. Called by admission.ts for well-formed keys, before it asks the
// keys service. Each client address has a budget of unknown keys. Beyond it, only keys that were admitted
// lately are asked about, so that nobody can lock out the clients behind the same proxy. It must never admit
// anybody: it only refuses.

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

export interface UnknownKeysOptions {
  readonly perSecond: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly onRefused: () => void;
}

export class UnknownKeys {
  readonly #options: UnknownKeysOptions;
  readonly #spent = new Map<string, Spent>();
  /** SHA-256 of keys. */
  readonly #admitted = new Set<string>();

  constructor(options: UnknownKeysOptions) {
    this.#options = options;
  }

  /** Throws `rate_limited` (429) when `address` has used up its budget and `key` was not admitted lately. */
  check(address: string, key: string): void {
    const { perSecond, onRefused } = this.#options;
    if (this.#spent.size === 0 || this.#count(address) < BURST_S * perSecond) return;
    if (this.#admitted.has(digest(key))) return;
    onRefused();
    const message = "Too many requests with unknown keys came from this address. Try again.";
    throw new AnnalsError("rate_limited", message, { retryAfterS: 1 });
  }

  admitted(key: string): void {
    const known = digest(key);
    if (this.#admitted.has(known)) return;
    this.#admitted.add(known);
    if (this.#admitted.size > MAX_KEYS) forgetOldest(this.#admitted);
  }

  unknown(address: string, key: string): void {
    const { perSecond, now } = this.#options;
    this.#admitted.delete(digest(key));
    const count = Math.min(this.#count(address) + 1, MAX_DEBT_S * perSecond);
    this.#spent.delete(address);
    this.#spent.set(address, { count, atMs: now() });
    if (this.#spent.size > MAX_ADDRESSES) forgetOldest(this.#spent);
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

function forgetOldest(all: Map<string, unknown> | Set<string>): void {
  const [oldest] = all.keys();
  if (oldest !== undefined) all.delete(oldest);
}
