// Batches work that arrives while earlier work is in flight. While a concurrency slot is free, a batch starts
// at the end of the current turn of the event loop; while all are taken, work gathers for the next batch. By
// default there is no timer: an idle system adds no delay, and a busy one forms batches as large as its own
// speed requires. Called by the gateway for admissions and appends, and by the ledger for group commit.

import { failSpan, inBatch, type Span, startSpan } from "@annals/chassis";
import { unavailable } from "@annals/errors";

const MS_PER_S = 1_000;

export interface BatcherOptions<In, Out> {
  /** Name of the span that each item of a recorded request has while it waits and is worked on. */
  readonly name: string;
  /**
   * Processes a group of 1 to `maxGroup` items, whose weight it is told, and what is left of the deadline of
   * the oldest. Resolves to one result per item, in order. A rejection fails the whole group. No item ever
   * joins a group that has started.
   */
  readonly work: (
    items: readonly In[],
    weight: number,
    timeLeftMs: number,
  ) => Promise<readonly PromiseSettledResult<Out>[]>;
  /** Weight of an item, for `maxGroup` and `maxWaiting`; 1 by default. */
  readonly weigh?: (item: In) => number;
  readonly maxGroup: number;
  /** Groups in flight at one time. */
  readonly concurrency: number;
  /** How long a group waits for more items after its first; 0 by default. */
  readonly gatherMs?: number;
  /** While more weight than this waits, new items are refused at once with `unavailable`. */
  readonly maxWaiting: number;
  /**
   * How long an item may take, the wait for its group included. One that has waited as long is refused with
   * `unavailable` when its turn comes: nothing was done with it. By default items wait without a bound.
   */
  readonly deadlineMs?: number;
  /**
   * Called with the weight of each accepted item, and with the negative weight of each finished group before
   * its submitters see their results.
   */
  readonly onWeight?: (change: number) => void;
  readonly metrics?: BatcherMetrics;
}

/** Called by a batcher to report what it does. */
export interface BatcherMetrics {
  /** Called when a group starts: the number of its items, and how long the first of them has waited. */
  started(items: number, waitSeconds: number): void;
  /** An item was refused because too much work is queued. */
  refused(): void;
}

interface Group<In, Out> {
  readonly members: readonly Waiting<In, Out>[];
  readonly weight: number;
  readonly timeLeftMs: number;
}

/** Time that a group has at least: the item that joined it last has hardly waited. */
const MIN_TIME_LEFT_MS = 1_000;

interface Waiting<In, Out> {
  readonly item: In;
  readonly weight: number;
  /** When it was submitted, on the clock of `performance.now()`. */
  readonly since: number;
  readonly span: Span | undefined;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

export class Batcher<In, Out> {
  readonly #options: BatcherOptions<In, Out>;
  #waiting: Waiting<In, Out>[] = [];
  #waitingWeight = 0;
  #inFlight = 0;
  #isPumpDue = false;

  constructor(options: BatcherOptions<In, Out>) {
    this.#options = options;
  }

  /** True when nothing waits and nothing is in flight. */
  get idle(): boolean {
    return this.#inFlight === 0 && this.#waiting.length === 0;
  }

  /**
   * Submits one item. Rejects with its own failure, or with `unavailable` when too much work is queued.
   */
  submit(item: In): Promise<Out> {
    const weight = this.#options.weigh?.(item) ?? 1;
    if (this.#waitingWeight + weight > this.#options.maxWaiting && this.#waiting.length > 0) {
      return Promise.reject(refusal(this.#options.metrics));
    }
    this.#waitingWeight += weight;
    this.#options.onWeight?.(weight);
    const span = startSpan(this.#options.name);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, weight, since: performance.now(), span, resolve, reject });
      this.#pumpSoon();
    });
  }

  /**
   * At the end of this turn of the event loop, or when the group has waited for more, so that items which
   * arrive together form one group.
   */
  #pumpSoon(): void {
    const { concurrency, gatherMs = 0 } = this.#options;
    if (this.#isPumpDue || this.#inFlight >= concurrency) return;
    this.#isPumpDue = true;
    const pump = () => {
      this.#isPumpDue = false;
      this.#pump();
    };
    if (gatherMs > 0) setTimeout(pump, gatherMs);
    else setImmediate(pump);
  }

  #pump(): void {
    this.#refuseLate();
    while (this.#inFlight < this.#options.concurrency && this.#waiting.length > 0) {
      const group = this.#take();
      this.#inFlight += 1;
      void this.#process(group);
    }
  }

  /**
   * Refuses the items whose deadline has passed: their callers have left, and their work would delay the
   * others.
   */
  #refuseLate(): void {
    const { deadlineMs = Infinity, metrics, onWeight } = this.#options;
    const since = performance.now() - deadlineMs;
    if (!this.#waiting[0] || this.#waiting[0].since > since) return;
    const firstInTime = this.#waiting.findIndex((one) => one.since > since);
    const late = this.#waiting.splice(0, firstInTime === -1 ? Infinity : firstInTime);
    const weight = late.reduce((sum, one) => sum + one.weight, 0);
    this.#waitingWeight -= weight;
    onWeight?.(-weight);
    for (const one of late) fail(one, refusal(metrics));
  }

  #take(): Group<In, Out> {
    let weight = 0;
    let size = 0;
    for (const one of this.#waiting) {
      if (size > 0 && weight + one.weight > this.#options.maxGroup) break;
      weight += one.weight;
      size += 1;
    }
    this.#waitingWeight -= weight;
    const members = this.#waiting.splice(0, size);
    const { deadlineMs = Infinity, metrics } = this.#options;
    const waitedMs = performance.now() - (members[0]?.since ?? 0);
    metrics?.started(size, waitedMs / MS_PER_S);
    return { members, weight, timeLeftMs: Math.max(MIN_TIME_LEFT_MS, deadlineMs - waitedMs) };
  }

  /**
   * Never rejects. The concurrency slot is free, and possibly taken again, before any submitter sees its
   * result: `idle` is exact at that moment.
   */
  async #process(group: Group<In, Out>): Promise<void> {
    const settle = await this.#work(group);
    this.#inFlight -= 1;
    // What arrived meanwhile waits for more, as the first group did.
    if (this.#options.gatherMs && this.#waiting.length > 0) this.#pumpSoon();
    else this.#pump();
    this.#options.onWeight?.(-group.weight);
    settle();
  }

  /** Resolves to the function that gives each item its result. */
  async #work({ members, weight, timeLeftMs }: Group<In, Out>): Promise<() => void> {
    try {
      const items = members.map(({ item }) => item);
      const spans = members.map(({ span }) => span);
      const { name, work } = this.#options;
      const results = await inBatch(`batch ${name}`, spans, () => work(items, weight, timeLeftMs));
      return () => {
        for (const [index, member] of members.entries()) {
          const result = results[index];
          if (result?.status === "fulfilled") {
            member.span?.end();
            member.resolve(result.value);
          } else fail(member, result?.reason ?? new Error(NO_RESULT));
        }
      };
    } catch (error) {
      return () => members.forEach((member) => fail(member, error));
    }
  }
}

const NO_RESULT = "the group's work gave no result for this item";

function fail(
  { reject, span }: Pick<Waiting<unknown, unknown>, "reject" | "span">,
  error: unknown,
): void {
  if (span) failSpan(span, error);
  span?.end();
  reject(error);
}

/** One {@link Batcher} per key, deleted when idle. Work of one key never waits for another's. */
export class KeyedBatcher<In, Out> {
  readonly #options: KeyedBatcherOptions<In, Out>;
  readonly #batchers = new Map<string, Batcher<In, Out>>();
  #weight = 0;

  constructor(options: KeyedBatcherOptions<In, Out>) {
    this.#options = options;
  }

  /** Keys with work that waits or is in flight. */
  get size(): number {
    return this.#batchers.size;
  }

  /**
   * Submits one item under `key`. Rejects with its own failure, or with `unavailable` when too much work is
   * queued.
   */
  submit(key: string, item: In): Promise<Out> {
    const { maxWeight, metrics, weigh } = this.#options;
    const weight = weigh?.(item) ?? 1;
    if (this.#weight > 0 && this.#weight + weight > maxWeight) {
      return Promise.reject(refusal(metrics));
    }
    return this.#batcher(key).submit(item);
  }

  #batcher(key: string): Batcher<In, Out> {
    const running = this.#batchers.get(key);
    if (running) return running;
    const { work } = this.#options;
    const batcher: Batcher<In, Out> = new Batcher({
      ...this.#options,
      work: (items, weight, timeLeftMs) => work(key, items, weight, timeLeftMs),
      onWeight: (change) => {
        this.#weight += change;
        if (change < 0 && batcher.idle) this.#batchers.delete(key);
      },
    });
    this.#batchers.set(key, batcher);
    return batcher;
  }
}

export interface KeyedBatcherOptions<In, Out> extends Omit<
  BatcherOptions<In, Out>,
  "work" | "onWeight"
> {
  readonly work: (
    key: string,
    items: readonly In[],
    weight: number,
    timeLeftMs: number,
  ) => Promise<readonly PromiseSettledResult<Out>[]>;
  /** Maximum weight of all keys together, waiting or in flight. */
  readonly maxWeight: number;
}

function refusal(metrics: BatcherMetrics | undefined): Error {
  metrics?.refused();
  return unavailable("The service is overloaded. Try again.");
}
