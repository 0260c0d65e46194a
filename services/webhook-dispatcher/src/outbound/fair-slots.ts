// Slots of a shared resource, with a share for each account: no account takes more than its share, and slots
// that become free go to the waiting accounts in turn. Used by the resolver. Whoever waits too long is
// rejected and leaves the queue.

export interface FairSlotsOptions {
  readonly total: number;
  readonly perAccount: number;
}

type Waiter = () => void;

export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #takenBy = new Map<string, number>();
  /** In the order of the accounts' turns. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #taken = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** Resolves to what frees the slot again. Rejects with `refusal` after `timeoutMs`. */
  take(accountId: string, timeoutMs: number, refusal: () => Error): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const grant = (): void => {
        clearTimeout(timer);
        this.#taken += 1;
        this.#takenBy.set(accountId, this.#of(accountId) + 1);
        resolve(() => this.#free(accountId));
      };
      const timer = setTimeout(() => {
        this.#leave(accountId, grant);
        reject(refusal());
      }, timeoutMs);
      if (this.#hasSlotFor(accountId)) grant();
      else {
        const queue = this.#waiting.get(accountId) ?? new Set();
        this.#waiting.set(accountId, queue.add(grant));
      }
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
    for (const [next, queue] of this.#waiting) {
      const [first] = queue;
      if (!first || !this.#hasSlotFor(next)) continue;
      this.#waiting.delete(next);
      queue.delete(first);
      // Behind all others: its next turn comes after theirs.
      if (queue.size > 0) this.#waiting.set(next, queue);
      first();
      return;
    }
  }

  #leave(accountId: string, waiter: Waiter): void {
    const queue = this.#waiting.get(accountId);
    queue?.delete(waiter);
    if (queue?.size === 0) this.#waiting.delete(accountId);
  }
}
