// Divides a bounded amount among holders, so that none can take all of it. Used by requests-in-flight.ts,
// once for each kind of resource. It must never count what a holder has released.

export interface SharesOptions {
  readonly total: number;
  /** The most that one holder may have. */
  readonly share: number;
}

export class Shares {
  readonly #total: number;
  readonly #share: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor({ total, share }: SharesOptions) {
    this.#total = total;
    this.#share = share;
  }

  get used(): number {
    return this.#used;
  }

  /** Holders that have something. */
  get holders(): number {
    return this.#held.size;
  }

  /**
   * Undefined when `holder` got `amount`. A holder gets it when it then has no more than its share, and no
   * more than was free. So it leaves as much as it had before: one holder leaves half of the total, each
   * further one at least half of what was left, and the last of it goes to somebody who had none.
   */
  take(holder: string, amount = 1, share = this.#share): "share" | "total" | undefined {
    const wanted = (this.#held.get(holder) ?? 0) + amount;
    if (wanted > share) return "share";
    if (wanted > this.#total - this.#used) return "total";
    this.#held.set(holder, wanted);
    this.#used += amount;
    return undefined;
  }

  release(holder: string, amount = 1): void {
    const left = (this.#held.get(holder) ?? 0) - amount;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    this.#used -= amount;
  }
}
