// Shares the event loop of a process between accounts. Work of many milliseconds is a generator that yields
// between its pieces: one piece runs in each turn of the event loop, and accounts with such work take turns.
// Called by the gateway and the ledger for large appends. It must never run two pieces in one turn.

/** Bytes of a piece: about a millisecond of reading, checking or hashing. */
export const PIECE_BYTES = 128 * 1024;

/** Work in pieces: it yields where others may run. */
export type Work<T> = Generator<void, T>;

export class Turns {
  readonly #waiting = new Map<string, (() => void)[]>();
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
      const line = this.#waiting.get(account);
      if (line) line.push(resolve);
      else this.#waiting.set(account, [resolve]);
      this.#turnSoon();
    });
  }

  #turnSoon(): void {
    if (this.#isDue || this.#waiting.size === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#turn();
    });
  }

  /** The account that has waited longest has the turn, and is then the last in line. */
  #turn(): void {
    const [[account, line] = ["", []]] = this.#waiting;
    this.#waiting.delete(account);
    line.shift()?.();
    if (line.length > 0) this.#waiting.set(account, line);
    this.#turnSoon();
  }
}

/** Runs `work` on each item, and yields after each {@link PIECE_BYTES}. It resolves to the bytes of an item. */
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
