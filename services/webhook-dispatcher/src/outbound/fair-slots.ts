// Slots of a shared resource, with a share for each account: no account takes more than its share, and slots
// that become free go to the waiting accounts in turn. Used by the resolver. A waiter that waits too long is
// rejected and leaves the queue.

import { FairQueue } from "@annals/contract";

export interface FairSlotsOptions {
  readonly total: number;
  readonly perAccount: number;
}

export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #takenBy = new Map<string, number>();
  readonly #waiting = new FairQueue<() => void>();
  #taken = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** Takes a slot. Resolves to a function that frees it. Rejects with `refusal` after `timeoutMs`. */
  take(accountId: string, timeoutMs: number, refusal: () => Error): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const grant = (): void => {
        clearTimeout(timer);
        this.#taken += 1;
        this.#takenBy.set(accountId, this.#of(accountId) + 1);
        resolve(() => this.#free(accountId));
      };
      const timer = setTimeout(() => {
        this.#waiting.remove(accountId, grant);
        reject(refusal());
      }, timeoutMs);
      if (this.#hasSlotFor(accountId)) grant();
      else this.#waiting.push(accountId, grant);
    });
  }

  #of(accountId: string): number {
    return this.#takenBy.get(accountId) ?? 0;
  }

  #hasSlotFor(accountId: string): boolean {
    const { total, perAccount } = this.#options;
    return this.#taken < total && this.#of(accountId) < perAccount;
  }

  #free(accountId: string): void {
    this.#taken -= 1;
    const left = this.#of(accountId) - 1;
    if (left > 0) this.#takenBy.set(accountId, left);
    else this.#takenBy.delete(accountId);
    this.#waiting.shift((next) => this.#hasSlotFor(next))?.();
  }
}
