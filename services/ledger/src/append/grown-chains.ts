// The chains whose trees or filter index are behind, as far as this process knows: from what it has
// appended, and from the list of tree-builder.ts, which also finds the chains of other replicas. A tree
// grows once 256 events have come, a tile, or when an epoch is near: storing each tree each second would
// cost as much as the appends. Beyond its bound it forgets: the workers find those chains by their lists.

import { TILE_WIDTH } from "@annals/tlog";
import { CHUNK_SIZE } from "../search/rules/chunk.ts";

const MAX_ACCOUNTS = 100_000;

/** What chains can be ready for; for an epoch with any event, and for fields when one is declared. */
export type Work = "epochs" | "fields" | "index" | "trees";

export class GrownChains {
  /** The number of events that each tree lacks. */
  readonly #waiting = new Map<string, number>();
  readonly #ready = new Set<string>();
  readonly #full = new Set<string>();
  readonly #wakes = new Map<Work, () => void>();
  #isNear = false;

  /** Some events were appended; the last one has the given number. */
  add(accountId: string, events: number, last: number): void {
    this.#wake("epochs");
    this.#lacks(accountId, (this.#waiting.get(accountId) ?? 0) + events);
    const isFull = last % CHUNK_SIZE < events;
    if (!isFull || this.#full.size >= MAX_ACCOUNTS) return;
    this.#full.add(accountId);
    this.#wake("index");
  }

  /** Calls `wake` each time that a chain becomes ready. */
  onReady(work: Work, wake: () => void): void {
    this.#wakes.set(work, wake);
  }

  /** What the database says; this process may have appended more meanwhile. */
  addLacking(accountId: string, events: number): void {
    this.#lacks(accountId, Math.max(this.#waiting.get(accountId) ?? 0, events));
  }

  /** An account has declared a field: the index is to have it of older events, too. */
  declare(): void {
    this.#wake("fields");
  }

  /** Lets all trees grow, also those that the builder lists before it takes any: an epoch is near. */
  makeReady(): void {
    this.#isNear = true;
    this.#wake("trees");
  }

  /** The first accounts whose trees are to grow, which are forgotten. */
  take(limit: number): string[] {
    if (this.#isNear) {
      for (const accountId of this.#waiting.keys()) this.#ready.add(accountId);
      this.#waiting.clear();
      this.#isNear = false;
    }
    return takeFrom(this.#ready, limit);
  }

  /** The first accounts of which a chunk became full, which are forgotten. */
  takeFull(limit: number): string[] {
    return takeFrom(this.#full, limit);
  }

  #lacks(accountId: string, events: number): void {
    if (this.#ready.has(accountId)) return;
    if (events >= TILE_WIDTH) {
      this.#waiting.delete(accountId);
      this.#ready.add(accountId);
      this.#wake("trees");
    } else if (this.#waiting.has(accountId) || this.#waiting.size < MAX_ACCOUNTS) {
      this.#waiting.set(accountId, events);
    }
  }

  #wake(work: Work): void {
    this.#wakes.get(work)?.();
  }
}

function takeFrom(accountIds: Set<string>, limit: number): string[] {
  const taken: string[] = [];
  for (const accountId of accountIds) {
    if (taken.length === limit) break;
    taken.push(accountId);
    accountIds.delete(accountId);
  }
  return taken;
}
