// Divides a bounded amount among holders, so that none can take all of it. Used by resources.ts, once for
// each kind of resource. It must never count what a holder has released.

import { mayHaveMore } from "@annals/contract";

export interface SharesOptions {
  readonly total: number;
  /** The most that one holder may have. */
  readonly share: number;
  /** How long `acquire` waits for a release; 0 by default. */
  readonly waitMs?: number;
}

/** Why nothing was taken: the holder has its share, or too little is free. */
export type Refusal = "share" | "total";

/** One of what is shared, held or waited for. */
export interface Reservation {
  /** Undefined when it is held. Resolves to undefined when it is, or when `release` ended the wait. */
  readonly taken: Promise<Refusal | undefined> | undefined;
  /** Releases it, or ends the wait. To be called once. */
  readonly release: () => void;
}

interface Waiting {
  readonly holder: string;
  /** It was taken for the holder. */
  readonly end: () => void;
}

export class Shares {
  readonly #total: number;
  readonly #share: number;
  readonly #waitMs: number;
  readonly #held = new Map<string, number>();
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #used = 0;

  constructor({ total, share, waitMs = 0 }: SharesOptions) {
    this.#total = total;
    this.#share = share;
    this.#waitMs = waitMs;
  }

  /** The most that one holder may have. */
  get share(): number {
    return this.#share;
  }

  get used(): number {
    return this.#used;
  }

  /**
   * Whether a quarter of the total is in use. From half of it on, a holder can be refused because too few are
   * free.
   */
  get isBusy(): boolean {
    return 4 * this.#used >= this.#total;
  }

  /** Holders that have something. */
  get holders(): number {
    return this.#held.size;
  }

  /** Undefined when `holder` got `amount`: `mayHaveMore` is the rule. */
  tryAcquire(holder: string, amount = 1, share = this.#share): Refusal | undefined {
    const held = this.heldBy(holder);
    if (held + amount > share) return "share";
    if (!mayHaveMore({ held, total: this.#total, used: this.#used }, amount)) return "total";
    this.#held.set(holder, held + amount);
    this.#used += amount;
    return undefined;
  }

  release(holder: string, amount = 1): void {
    const left = this.heldBy(holder) - amount;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    this.#used -= amount;
    for (const { holder: next, end } of this.#waiting) if (!this.tryAcquire(next)) end();
  }

  /** What the holder has. */
  heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }

  /** Takes one as `tryAcquire` does, or as soon as it is released. */
  acquire(holder: string): Reservation {
    const refusal = this.tryAcquire(holder);
    if (refusal === undefined) return { taken: undefined, release: () => this.release(holder) };
    let isHeld = false;
    const { promise: taken, resolve } = Promise.withResolvers<Refusal | undefined>();
    const end = (ended?: Refusal): void => {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
      resolve(ended);
    };
    const waiting: Waiting = {
      holder,
      end: () => {
        isHeld = true;
        end();
      },
    };
    const timer = setTimeout(end, this.#waitMs, refusal);
    this.#waiting.add(waiting);
    return { taken, release: () => (isHeld ? this.release(holder) : end()) };
  }
}
