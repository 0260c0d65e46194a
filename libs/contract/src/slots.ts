// Slots of what a process does a few at a time: those that are taken, how many each account has, and lines of
// those that wait, which take turns. Called by the pool of connections, and by the ledger for searches,
// verifications and large groups of appends. It must never count as free what is still in use.

import { FairQueue } from "./turns.ts";

export interface SlotsOptions {
  /** In all. */
  readonly total: number;
  /** Whether the account may have one more, if one is free; by default it may. */
  readonly mayHave?: (account: string, slots: Slots) => boolean;
  /** Why one more of the account, with `bytes`, may not wait; by default any number waits. */
  readonly refuse?: (account: string, bytes: number, slots: Slots) => Error | undefined;
  /** The longest wait; by default only its signal ends one. */
  readonly waitMs?: number;
  /** What there is too little of, for the error of a wait that was too long. */
  readonly what?: string;
}

interface Counted {
  readonly items: number;
  readonly bytes: number;
}

const NONE: Counted = { items: 0, bytes: 0 };

export class Slots {
  readonly #options: SlotsOptions;
  readonly #held = new Map<string, number>();
  readonly #queue = new FairQueue<() => void>();
  /** What waits of each account. */
  readonly #waitingOf = new Map<string, Counted>();
  #used = 0;
  #waiting = NONE;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  /** How many wait, of all accounts. */
  get waiting(): number {
    return this.#waiting.items;
  }

  /** Bytes of what waits, of all accounts. */
  get waitingBytes(): number {
    return this.#waiting.bytes;
  }

  heldBy(account: string): number {
    return this.#held.get(account) ?? 0;
  }

  waitingOf(account: string): Counted {
    return this.#waitingOf.get(account) ?? NONE;
  }

  /**
   * Undefined when a slot was counted for the account. Otherwise it waits in its line, with what `bytesOf`
   * says that it holds meanwhile. Rejects with the reason of the signal, when the time is over, and if no
   * more may wait. Throws if the signal has aborted before.
   */
  take(
    account: string,
    signal?: AbortSignal,
    bytesOf: () => number = () => 0,
  ): Promise<void> | undefined {
    signal?.throwIfAborted();
    if (!this.#mayTake(account)) return this.#wait(account, bytesOf(), signal);
    this.#count(account, 1);
    return undefined;
  }

  release(account: string): void {
    this.#count(account, -1);
    while (this.#used < this.#options.total) {
      const next = this.#queue.shift((each) => this.#mayTake(each));
      if (next === undefined) return;
      next();
    }
  }

  /** Does `work` in a slot, which is free when the work has ended. */
  async run<T>(
    account: string,
    work: () => Promise<T>,
    signal?: AbortSignal,
    bytesOf?: () => number,
  ): Promise<T> {
    const waiting = this.take(account, signal, bytesOf);
    if (waiting !== undefined) await waiting;
    try {
      return await work();
    } finally {
      this.release(account);
    }
  }

  #mayTake(account: string): boolean {
    const { mayHave, total } = this.#options;
    return this.#used < total && (mayHave === undefined || mayHave(account, this));
  }

  #count(account: string, change: 1 | -1): void {
    this.#used += change;
    const held = this.heldBy(account) + change;
    if (held > 0) this.#held.set(account, held);
    else this.#held.delete(account);
  }

  async #wait(account: string, bytes: number, signal: AbortSignal | undefined): Promise<void> {
    const { refuse, waitMs, what = "slot" } = this.#options;
    const refusal = refuse?.(account, bytes, this);
    if (refusal !== undefined) throw refusal;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = (): void => {
      this.#countWaiting(account, -1, -bytes);
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const begin = (): void => {
      end();
      this.#count(account, 1);
      resolve();
    };
    const leave = (reason: unknown): void => {
      end();
      this.#queue.remove(account, begin);
      reject(reason);
    };
    const onAbort = (): void => leave(signal?.reason);
    const onLate = (): void => leave(new Error(`no ${what} was free within ${waitMs} ms`));
    const timer = waitMs === undefined ? undefined : setTimeout(onLate, waitMs);
    signal?.addEventListener("abort", onAbort);
    this.#countWaiting(account, 1, bytes);
    this.#queue.push(account, begin);
    return promise;
  }

  #countWaiting(account: string, items: 1 | -1, bytes: number): void {
    const sum = (counted: Counted): Counted => ({
      items: counted.items + items,
      bytes: counted.bytes + bytes,
    });
    this.#waiting = sum(this.#waiting);
    const ofAccount = sum(this.waitingOf(account));
    if (ofAccount.items > 0) this.#waitingOf.set(account, ofAccount);
    else this.#waitingOf.delete(account);
  }
}
