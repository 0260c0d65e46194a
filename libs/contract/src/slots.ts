// Slots of what a process does a few at a time: those that are taken, how many each account has, and lines of
// those that wait, which take turns. Called by the pool of connections, the ledger, the dispatcher and the
// admin API. It must never count as free what is still in use.

import { FairQueue } from "./turns.ts";

export interface SlotsOptions {
  /** In all. */
  readonly total: number;
  /** The most of one account; by default any number. */
  readonly perAccount?: number;
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

interface Waiting {
  readonly bytes: number;
  readonly signal: AbortSignal | undefined;
  readonly waitMs: number | undefined;
  readonly late: () => Error;
}

const NONE: Counted = { items: 0, bytes: 0 };

/** What is divided, as its holder finds it. */
export interface Divided {
  readonly total: number;
  readonly used: number;
  /** What the holder has of it. */
  readonly held: number;
  /** The most that one holder may have; by default all. */
  readonly share?: number;
}

/**
 * Whether a holder may have `more`: it then has no more than its share, and no more than was free. So it
 * leaves as much as it had before: one holder leaves half of the total, each further one at least half of
 * what was left, and the last of it goes to a holder that had none.
 */
export function mayHaveMore({ held, share, total, used }: Divided, more = 1): boolean {
  return held + more <= Math.min(share ?? total, total - used);
}

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
    if (this.#tryTake(account)) return undefined;
    const { waitMs, what = "slot" } = this.#options;
    const late = () => new Error(`no ${what} was free within ${waitMs} ms`);
    return this.#wait(account, { bytes: bytesOf(), signal, waitMs, late });
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
    return this.#runIn(account, this.take(account, signal, bytesOf), work);
  }

  /** The same, but rejects with `late` if no slot is free within `waitMs`. */
  async runWithin<T>(
    account: string,
    waitMs: number,
    late: () => Error,
    work: () => Promise<T>,
  ): Promise<T> {
    const waiting = this.#tryTake(account)
      ? undefined
      : this.#wait(account, { bytes: 0, signal: undefined, waitMs, late });
    return this.#runIn(account, waiting, work);
  }

  async #runIn<T>(
    account: string,
    waiting: Promise<void> | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    if (waiting !== undefined) await waiting;
    try {
      return await work();
    } finally {
      this.release(account);
    }
  }

  #mayTake(account: string): boolean {
    const { mayHave, perAccount = Infinity, total } = this.#options;
    if (this.#used >= total || this.heldBy(account) >= perAccount) return false;
    return mayHave === undefined || mayHave(account, this);
  }

  #tryTake(account: string): boolean {
    const mayTake = this.#mayTake(account);
    if (mayTake) this.#count(account, 1);
    return mayTake;
  }

  #count(account: string, change: 1 | -1): void {
    this.#used += change;
    const held = this.heldBy(account) + change;
    if (held > 0) this.#held.set(account, held);
    else this.#held.delete(account);
  }

  async #wait(account: string, { bytes, late, signal, waitMs }: Waiting): Promise<void> {
    const refusal = this.#options.refuse?.(account, bytes, this);
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
    const onLate = (): void => leave(late());
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
