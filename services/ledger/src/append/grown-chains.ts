// The chains whose trees are behind, as far as this process knows: by what it has appended, and by the list
// of tree-builder.ts, which also finds the chains of other replicas. A tree grows once 256 events have come,
// a tile, or when an epoch is near: storing each tree each second would cost as much as the appends. Beyond
// its bound it forgets: the builder finds those chains by its list.

import { TILE_WIDTH } from "@annals/tlog";

const MAX_ACCOUNTS = 100_000;

export class GrownChains {
  /** The number of events that each tree lacks. */
  readonly #waiting = new Map<string, number>();
  readonly #ready = new Set<string>();

  add(accountId: string, events: number): void {
    this.#lacks(accountId, (this.#waiting.get(accountId) ?? 0) + events);
  }

  /** What the database says; this process may have appended more meanwhile. */
  addLacking(accountId: string, events: number): void {
    this.#lacks(accountId, Math.max(this.#waiting.get(accountId) ?? 0, events));
  }

  /** Lets all trees grow: an epoch is near. */
  makeReady(): void {
    for (const accountId of this.#waiting.keys()) this.#ready.add(accountId);
    this.#waiting.clear();
  }

  /** The first accounts whose trees are to grow, which are forgotten. */
  take(limit: number): string[] {
    const taken: string[] = [];
    for (const accountId of this.#ready) {
      if (taken.length === limit) break;
      taken.push(accountId);
      this.#ready.delete(accountId);
    }
    return taken;
  }

  #lacks(accountId: string, events: number): void {
    if (this.#ready.has(accountId)) return;
    if (events >= TILE_WIDTH) {
      this.#waiting.delete(accountId);
      this.#ready.add(accountId);
    } else if (this.#waiting.has(accountId) || this.#waiting.size < MAX_ACCOUNTS) {
      this.#waiting.set(accountId, events);
    }
  }
}
