// Gathers work that arrives while earlier work is under way and carries it on in one go. When a lane
// is free, work goes as soon as the event loop has taken in what was there with it, and it is
// gathered while all lanes are taken: there is no timer, so an idle system adds no wait and a busy
// one makes groups as large as its own speed asks for. The gateway uses it for admissions and
// appends, the ledger for commits.

import { unavailable } from "@annals/errors";

export interface CoalescerOptions<In, Out> {
  /**
   * Does a group of 1 to `maxGroup` items and resolves to one result an item, in order. A rejection
   * fails the whole group. It starts after the last of its items was submitted: no item ever joins
   * a group that has begun.
   */
  readonly work: (items: readonly In[]) => Promise<readonly PromiseSettledResult<Out>[]>;
  /** What an item weighs against `maxGroup` and `maxWaiting`; 1 unless told. */
  readonly weigh?: (item: In) => number;
  readonly maxGroup: number;
  /** Groups under way at one time. */
  readonly lanes: number;
  /** Beyond this much waiting weight, new items are refused at once with `unavailable`. */
  readonly maxWaiting: number;
  /**
   * Called with the weight of each item that is taken in, and with that of each group, negative, once it
   * is done and before its submitters see their results.
   */
  readonly onWeight?: (change: number) => void;
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly weight: number;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

export class Coalescer<In, Out> {
  readonly #options: CoalescerOptions<In, Out>;
  #waiting: Waiting<In, Out>[] = [];
  #waitingWeight = 0;
  #lanesTaken = 0;
  #isPumpDue = false;

  constructor(options: CoalescerOptions<In, Out>) {
    this.#options = options;
  }

  /** True when nothing waits and nothing is under way. */
  get idle(): boolean {
    return this.#lanesTaken === 0 && this.#waiting.length === 0;
  }

  /** Submits one item. Rejects with its own failure, or with `unavailable` when too much waits already. */
  submit(item: In): Promise<Out> {
    const weight = this.#options.weigh?.(item) ?? 1;
    if (this.#waitingWeight + weight > this.#options.maxWaiting && this.#waiting.length > 0) {
      return Promise.reject(tooMuchWork());
    }
    this.#waitingWeight += weight;
    this.#options.onWeight?.(weight);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, weight, resolve, reject });
      this.#pumpSoon();
    });
  }

  /** At the end of this turn of the event loop: else the first of a hundred that came together went alone. */
  #pumpSoon(): void {
    if (this.#isPumpDue || this.#lanesTaken >= this.#options.lanes) return;
    this.#isPumpDue = true;
    setImmediate(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#lanesTaken < this.#options.lanes && this.#waiting.length > 0) {
      const group = this.#take();
      this.#lanesTaken += 1;
      void this.#carry(group);
    }
  }

  #take(): Waiting<In, Out>[] {
    let weight = 0;
    let size = 0;
    for (const one of this.#waiting) {
      if (size > 0 && weight + one.weight > this.#options.maxGroup) break;
      weight += one.weight;
      size += 1;
    }
    this.#waitingWeight -= weight;
    return this.#waiting.splice(0, size);
  }

  /**
   * Never rejects. The lane is free, and taken again, before any submitter sees its result: `idle`
   * is then true or false.
   */
  async #carry(group: readonly Waiting<In, Out>[]): Promise<void> {
    const settle = await this.#work(group);
    this.#lanesTaken -= 1;
    this.#pump();
    this.#options.onWeight?.(-group.reduce((sum, { weight }) => sum + weight, 0));
    settle();
  }

  /** Resolves to what hands each item its result. */
  async #work(group: readonly Waiting<In, Out>[]): Promise<() => void> {
    try {
      const results = await this.#options.work(group.map(({ item }) => item));
      return () => {
        for (const [index, { resolve, reject }] of group.entries()) {
          const result = results[index];
          if (result?.status === "fulfilled") resolve(result.value);
          else reject(result?.reason ?? new Error("the group's work gave no result for this item"));
        }
      };
    } catch (error) {
      return () => group.forEach(({ reject }) => reject(error));
    }
  }
}

/**
 * One {@link Coalescer} a key, made when needed and gone when idle: work of one key never waits for
 * another's.
 */
export class KeyedCoalescer<In, Out> {
  readonly #options: KeyedCoalescerOptions<In, Out>;
  readonly #coalescers = new Map<string, Coalescer<In, Out>>();
  #weight = 0;

  constructor(options: KeyedCoalescerOptions<In, Out>) {
    this.#options = options;
  }

  /** Keys with work that waits or is under way. */
  get size(): number {
    return this.#coalescers.size;
  }

  /**
   * Submits one item under `key`. Rejects with its own failure, or with `unavailable` when too much
   * is under way.
   */
  submit(key: string, item: In): Promise<Out> {
    const { maxWeight, weigh } = this.#options;
    const weight = weigh?.(item) ?? 1;
    if (this.#weight > 0 && this.#weight + weight > maxWeight) {
      return Promise.reject(tooMuchWork());
    }
    return this.#coalescer(key).submit(item);
  }

  #coalescer(key: string): Coalescer<In, Out> {
    const running = this.#coalescers.get(key);
    if (running) return running;
    const { work } = this.#options;
    const coalescer: Coalescer<In, Out> = new Coalescer({
      ...this.#options,
      work: (items) => work(key, items),
      onWeight: (change) => {
        this.#weight += change;
        if (change < 0 && coalescer.idle) this.#coalescers.delete(key);
      },
    });
    this.#coalescers.set(key, coalescer);
    return coalescer;
  }
}

export interface KeyedCoalescerOptions<In, Out> extends Omit<
  CoalescerOptions<In, Out>,
  "work" | "onWeight"
> {
  readonly work: (
    key: string,
    items: readonly In[],
  ) => Promise<readonly PromiseSettledResult<Out>[]>;
  /** Of all keys together, waiting or under way. */
  readonly maxWeight: number;
}

function tooMuchWork(): Error {
  return unavailable("The service has more work than it can take. Try again.");
}
