// Accounts take turns: at what slots.ts divides, and at the event loop of a process. Work of many
// milliseconds is a generator that yields between its pieces, and one piece runs in each turn of the event
// loop. Called by the gateway and the ledger for large appends. It must never run two pieces in one turn.

/**
 * Bytes of a piece: a few milliseconds of reading, checking or hashing. What fits into one costs nothing
 * more: a batch of 100 events in pieces had four fifths of the rate, since its objects live for longer.
 */
export const PIECE_BYTES = 512 * 1024;

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

export class Turns {
  readonly #waiting = new FairQueue<() => void>();
  #isDue = false;

  /** Runs `work` for `account` to its end. The first piece runs at once: small work has no other. */
  async run<T>(account: string, work: Work<T>): Promise<T> {
    for (;;) {
      const piece = work.next();
      if (piece.done === true) return piece.value;
      await this.#next(account);
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
