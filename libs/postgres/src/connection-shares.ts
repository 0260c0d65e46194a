// Divides the connections of a pool among accounts, so that none can take all of them. Called by pool.ts
// before it takes a connection of pg's pool, which therefore never has a queue. It must never count a
// connection whose statement is still running as free.

import { Lines } from "@annals/contract";

/** Work of the service itself, for no account or for several. */
export const NO_ACCOUNT = "";

/** An account with more statements waiting is refused at once. */
const MAX_WAITING = 1_000;

/** One in so many connections is kept from accounts, for work of the service itself. */
const RESERVED_OF = 5;

interface Waiting {
  /** Its connection was counted. */
  readonly taken: () => void;
}

export class ConnectionShares {
  readonly #total: number;
  readonly #ofAccounts: number;
  readonly #share: number;
  readonly #waitMs: number;
  readonly #held = new Map<string, number>();
  readonly #lines = new Lines<Waiting>();
  #used = 0;
  #usedByAccounts = 0;
  #waiting = 0;

  constructor({ total, waitMs }: { readonly total: number; readonly waitMs: number }) {
    this.#total = total;
    this.#ofAccounts = total < 3 ? total : total - Math.max(1, Math.floor(total / RESERVED_OF));
    this.#share = Math.max(1, Math.floor(this.#ofAccounts / 2));
    this.#waitMs = waitMs;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Those that wait because every connection is in use, and not for their account's share alone. */
  get pending(): number {
    return this.#used < this.#total ? 0 : this.#waiting;
  }

  /**
   * Undefined when a connection was counted for the account. It gets one when it then has no more than its
   * share, half of those of accounts, and no more than was free: so the last one goes to an account that had
   * none. Otherwise it waits in its line, and accounts take turns.
   */
  take(account: string, signal?: AbortSignal): Promise<void> | undefined {
    if (!this.#mayTake(account)) return this.#wait(account, signal);
    this.#count(account, 1);
    return undefined;
  }

  release(account: string): void {
    this.#count(account, -1);
    while (this.#used < this.#total) {
      const next = this.#lines.shift((each) => this.#mayTake(each));
      if (next === undefined) return;
      next.taken();
    }
  }

  #mayTake(account: string): boolean {
    if (this.#used >= this.#total) return false;
    if (account === NO_ACCOUNT) return true;
    const wanted = (this.#held.get(account) ?? 0) + 1;
    return wanted <= this.#share && wanted <= this.#ofAccounts - this.#usedByAccounts;
  }

  #count(account: string, change: 1 | -1): void {
    this.#used += change;
    if (account === NO_ACCOUNT) return;
    this.#usedByAccounts += change;
    const held = (this.#held.get(account) ?? 0) + change;
    if (held > 0) this.#held.set(account, held);
    else this.#held.delete(account);
  }

  #wait(account: string, signal: AbortSignal | undefined): Promise<void> {
    if (account !== NO_ACCOUNT && this.#lines.lengthOf(account) >= MAX_WAITING) {
      return Promise.reject(new Error(`${MAX_WAITING} statements of the account wait`));
    }
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting -= 1;
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const leave = (reason: Error): void => {
        end();
        this.#lines.remove(account, waiting);
        reject(reason);
      };
      const onAbort = (): void => leave(signal?.reason as Error);
      const timer = setTimeout(
        () => leave(new Error(`no connection was free within ${this.#waitMs} ms`)),
        this.#waitMs,
      );
      const waiting: Waiting = {
        taken: () => {
          end();
          this.#count(account, 1);
          resolve();
        },
      };
      signal?.addEventListener("abort", onAbort);
      this.#waiting += 1;
      this.#lines.push(account, waiting);
    });
  }
}
