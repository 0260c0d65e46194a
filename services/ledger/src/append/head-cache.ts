// The cache of chain heads: for each chain, the head that this process last read or wrote. The cached heads
// are for an optimistic compare-and-swap, so a stale one is harmless: the statement that appends checks the
// head itself.

import type { Head } from "./rules/plan-flush.ts";

export interface CachedHead {
  readonly head: Head;
  /** Whether no other process appended between this one's last two groups: then the head is worth trying. */
  readonly alone: boolean;
}

/** Maximum chains whose head is cached. The least recently used one is dropped first. */
const MAX_HEADS = 10_000;

export class HeadCache {
  readonly #heads = new Map<string, CachedHead>();

  get(accountId: string): CachedHead | undefined {
    return this.#heads.get(accountId);
  }

  set(accountId: string, cached: CachedHead): void {
    this.#heads.delete(accountId);
    this.#heads.set(accountId, cached);
    const [oldest] = this.#heads.size > MAX_HEADS ? this.#heads.keys() : [];
    if (oldest !== undefined) this.#heads.delete(oldest);
  }

  forget(accountId: string): void {
    this.#heads.delete(accountId);
  }
}
