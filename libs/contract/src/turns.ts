// Accounts take turns: at what slots.ts divides, and at the event loop of a process. Work of many
// milliseconds is a generator that yields wherever others may run, which is after every few bytes. A turn
// ends by time: bytes of one kind cost hundreds of times as much as those of another. Called by the gateway
// and the ledger for large bodies and appends. It must never run two turns in one turn of the event loop.

/**
 * Milliseconds of a turn. It ends at the first yield after them. What fits into one costs nothing more: a
 * batch of 100 events in more turns had four fifths of the rate, since its objects live for longer.
 */
export const TURN_MS = 8;

/**
 * Bytes after which work yields, if they are read, checked, written or hashed: the most expensive take a few
 * milliseconds. Work that costs more yields by another count as well.
 */
export const PIECE_BYTES = 16 * 1024;

/** Work in pieces: it yields where others may run. */
export type Work<T> = Generator<void, T>;

/** Does all pieces in one turn: for work that is known to be small. */
export function atOnce<T>(work: Work<T>): T {
  let piece = work.next();
  while (piece.done !== true) piece = work.next();
  return piece.value;
}

/** A queue for each account. Accounts take turns. */
export class FairQueue<T> {
  readonly #queues = new Map<string, T[]>();

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  push(account: string, item: T): void {
    const queue = this.#queues.get(account);
    if (queue) queue.push(item);
    else this.#queues.set(account, [item]);
  }

  /** How many wait of the account. */
  lengthOf(account: string): number {
    return this.#queues.get(account)?.length ?? 0;
  }

  /**
   * The first of the account that has waited longest for its turn, which then waits behind all others. Those
   * whose turn it may not be keep their place.
   */
  shift(mayBe: (account: string) => boolean = () => true): T | undefined {
    for (const [account, queue] of this.#queues) {
      if (!mayBe(account)) continue;
      const first = queue.shift();
      this.#queues.delete(account);
      if (queue.length > 0) this.#queues.set(account, queue);
      return first;
    }
    return undefined;
  }

  /** Removes what waits no longer. */
  remove(account: string, item: T): void {
    const queue = this.#queues.get(account) ?? [];
    const at = queue.indexOf(item);
    if (at >= 0) queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(account);
  }
}

/** For whom work is done. The signal is read when the work takes more than a turn: it may be a getter. */
export interface Client {
  /** Aborted when no client waits for the work any longer. */
  readonly signal: AbortSignal;
}

export class Turns {
  readonly #waiting = new FairQueue<() => void>();
  readonly #now: () => number;
  #isDue = false;

  /** `now` is in milliseconds, and never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Runs `work` for `account` to its end. The first turn begins at once: small work has no other. Rejects
   * before the next turn if the client has gone.
   */
  async run<T>(account: string, work: Work<T>, client?: Client): Promise<T> {
    for (;;) {
      const endsAt = this.#now() + TURN_MS;
      do {
        const piece = work.next();
        if (piece.done === true) return piece.value;
      } while (this.#now() < endsAt);
      const signal = client?.signal;
      await this.#next(account);
      signal?.throwIfAborted();
    }
  }

  #next(account: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(account, resolve);
      this.#turnSoon();
    });
  }

  #turnSoon(): void {
    if (this.#isDue || this.#waiting.isEmpty) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#waiting.shift()?.();
      this.#turnSoon();
    });
  }
}

/** Does `work` on each item, which returns its bytes. Yields after each {@link PIECE_BYTES}. */
export function* inBytes<T>(
  items: Iterable<T>,
  work: (item: T, index: number) => number,
): Work<void> {
  let bytes = 0;
  let index = 0;
  for (const item of items) {
    bytes += work(item, index);
    index += 1;
    if (bytes < PIECE_BYTES) continue;
    bytes = 0;
    yield;
  }
}
