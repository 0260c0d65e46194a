// The buffer of track(): a bounded queue of events, sent in batches by size and by time, one batch after the
// other, so that events are stored in the order in which they were tracked. A batch keeps its idempotency key
// until it gets a response, so that each event is stored once. Called by annals.ts. It must never lose an
// event without naming it to onDrop, and never send a batch again under another key when it may be stored.

import { AnnalsError } from "./annals-error.ts";
import type { Clock } from "./clock.ts";
import { isRefused, retryDelay } from "./retry.ts";
import type { NewEvent } from "./types.ts";

/**
 * Why events were dropped. `full`: the buffer was. `refused`: the service found them invalid.
 * `unserializable`: they are no JSON. `closed`: tracked after close(), or not sent in its time.
 * `unconfirmed`: they were sent, no response came in time, and they may be stored.
 */
export type DropReason = "full" | "refused" | "unserializable" | "closed" | "unconfirmed";

export interface Drop {
  readonly reason: DropReason;
  readonly events: readonly NewEvent[];
  /** The last failure, if there was one. */
  readonly error: unknown;
}

export interface TrackingOptions {
  /**
   * Called for each dropped event. By default, the count and the reason are logged with console.error.
   */
  readonly onDrop?: (drop: Drop) => void;
  /** Called for each failed attempt that will be repeated. */
  readonly onRetry?: (retry: { error: unknown; attempt: number; delayMs: number }) => void;
  /** The buffer's bound. By default 10,000 events and 32 MiB of JSON. */
  readonly maxEvents?: number;
  readonly maxBytes?: number;
  /**
   * A batch is sent once it has this many events or bytes: at most 1,000 and 4 MB, by default 500 and
   * 1,000,000.
   */
  readonly batchEvents?: number;
  readonly batchBytes?: number;
  /** The longest that an event waits for others. By default 1,000. */
  readonly maxWaitMs?: number;
}

const DEFAULTS = {
  maxEvents: 10_000,
  maxBytes: 32 * 1024 * 1024,
  batchEvents: 500,
  batchBytes: 1_000_000,
  maxWaitMs: 1_000,
};

/** The service remembers a key for 24 hours from the first attempt that it stored. */
const KEY_LIFETIME_MS = 23 * 60 * 60 * 1_000;

const CLOSE_TIMEOUT_MS = 10_000;

export interface TrackerDeps {
  /** Stores a batch, in one attempt. */
  readonly send: (body: string, idempotencyKey: string, signal: AbortSignal) => Promise<unknown>;
  readonly clock: Clock;
  readonly random: () => number;
}

interface Item {
  readonly text: string;
  readonly bytes: number;
}

export class Tracker {
  readonly #deps: TrackerDeps;
  readonly #options: TrackingOptions & typeof DEFAULTS;
  readonly #abort = new AbortController();
  #queue: Item[] = [];
  /** Bytes of all buffered events, those in flight included. */
  #bytes = 0;
  #events = 0;
  #tracked = 0;
  #settled = 0;
  /** Events up to this one do not wait for others. */
  #hurryTo = 0;
  #loop: Promise<void> | undefined;
  #waiting = new AbortController();
  #waiters: { readonly until: () => boolean; readonly resolve: () => void }[] = [];
  #isClosed = false;

  constructor(deps: TrackerDeps, options: TrackingOptions = {}) {
    this.#deps = deps;
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Events that are neither stored nor dropped yet. */
  get buffered(): number {
    return this.#events;
  }

  /** False if the event was dropped, which onDrop is told. */
  track(event: NewEvent): boolean {
    const item = this.#itemOf(event);
    if (typeof item === "string") return this.#refuse(item, event);
    if (this.#isClosed) return this.#refuse("closed", event);
    const { maxEvents, maxBytes } = this.#options;
    if (this.#events >= maxEvents || this.#bytes + item.bytes > maxBytes)
      return this.#refuse("full", event);
    this.#queue.push(item);
    this.#events += 1;
    this.#bytes += item.bytes;
    this.#tracked += 1;
    if (this.#isBatchReady()) this.#waiting.abort();
    this.#loop ??= this.#run();
    return true;
  }

  /**
   * Resolves while the buffer is at most half full: wait for it before each event, and none is dropped.
   */
  async ready(): Promise<void> {
    const { maxBytes, maxEvents } = this.#options;
    return this.#until(() => this.#events <= maxEvents / 2 && this.#bytes <= maxBytes / 2);
  }

  /** Resolves when every event tracked so far is stored or dropped. */
  async flush(): Promise<void> {
    const target = this.#tracked;
    this.#hurryTo = target;
    this.#waiting.abort();
    return this.#until(() => this.#settled >= target);
  }

  /**
   * Takes no more events, stores what is buffered, and drops what is not stored after this time.
   */
  async close(timeoutMs = CLOSE_TIMEOUT_MS): Promise<void> {
    this.#isClosed = true;
    const flushed = new AbortController();
    const limit = this.#deps.clock.wait(timeoutMs, flushed.signal);
    await Promise.race([this.flush(), limit]);
    flushed.abort();
    this.#abort.abort();
    this.#waiting.abort();
    await this.#loop;
  }

  #itemOf(event: NewEvent): Item | "unserializable" {
    try {
      // The time of the event, and not that of its arrival.
      const occurredAt = event.occurred_at ?? new Date(this.#deps.clock.now()).toISOString();
      const text = JSON.stringify({ ...event, occurred_at: occurredAt });
      return { text, bytes: new TextEncoder().encode(text).length };
    } catch {
      return "unserializable";
    }
  }

  #refuse(reason: DropReason, event: NewEvent): false {
    this.#report({ reason, events: [event], error: undefined });
    return false;
  }

  /** Sends batches until the queue is empty. */
  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const isHurried = this.#settled < this.#hurryTo || this.#abort.signal.aborted;
      if (!isHurried && !this.#isBatchReady()) {
        this.#waiting = new AbortController();
        await this.#deps.clock.wait(this.#options.maxWaitMs, this.#waiting.signal);
      }
      await this.#send(this.#takeBatch());
    }
    this.#loop = undefined;
  }

  #isBatchReady(): boolean {
    const { batchBytes, batchEvents } = this.#options;
    if (this.#queue.length >= batchEvents) return true;
    let bytes = 0;
    return this.#queue.some((item) => (bytes += item.bytes) >= batchBytes);
  }

  #takeBatch(): Item[] {
    const { batchBytes, batchEvents } = this.#options;
    let bytes = 0;
    let count = 0;
    for (const item of this.#queue) {
      bytes += item.bytes;
      if (count > 0 && (count >= batchEvents || bytes > batchBytes)) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #send(items: readonly Item[]): Promise<void> {
    const { clock, random, send } = this.#deps;
    const { signal } = this.#abort;
    const body = `{"events":[${items.map(({ text }) => text).join(",")}]}`;
    const key = crypto.randomUUID();
    const since = clock.now();
    let error: unknown;
    let mayBeStored = false;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await send(body, key, signal);
        return this.#settle(items);
      } catch (failure) {
        error = failure;
        mayBeStored ||= !isRefused(failure);
      }
      if (AnnalsError.is(error, "validation_error")) return this.#sendValid(items, error);
      const delayMs = retryDelay(error, attempt, random());
      if (clock.now() + delayMs - since > KEY_LIFETIME_MS) break;
      if (signal.aborted) break;
      this.#tell(() => this.#options.onRetry?.({ error, attempt, delayMs }));
      await clock.wait(delayMs, signal);
    }
    this.#drop(items, mayBeStored ? "unconfirmed" : "closed", error);
  }

  /** Nothing of a refused batch is stored. Drops the events at fault, and sends the others. */
  async #sendValid(items: readonly Item[], error: AnnalsError): Promise<void> {
    const named = new Set(error.details.map(({ field }) => /^events\[(\d+)\]/.exec(field)?.[1]));
    const faulty = items.filter((_, index) => named.has(String(index)));
    if (faulty.length > 0 || items.length === 1) {
      const refused = faulty.length > 0 ? faulty : items;
      this.#drop(refused, "refused", error);
      const valid = items.filter((item) => !refused.includes(item));
      return valid.length > 0 ? this.#send(valid) : undefined;
    }
    const half = Math.ceil(items.length / 2);
    await this.#send(items.slice(0, half));
    return this.#send(items.slice(half));
  }

  #drop(items: readonly Item[], reason: DropReason, error: unknown): void {
    if (items.length === 0) return;
    const events = items.map(({ text }) => JSON.parse(text) as NewEvent);
    this.#report({ reason, events, error });
    this.#settle(items);
  }

  #settle(items: readonly Item[]): void {
    this.#events -= items.length;
    for (const { bytes } of items) this.#bytes -= bytes;
    this.#settled += items.length;
    const done = this.#waiters.filter(({ until }) => until());
    this.#waiters = this.#waiters.filter((waiter) => !done.includes(waiter));
    for (const { resolve } of done) resolve();
  }

  async #until(until: () => boolean): Promise<void> {
    if (until()) return;
    await new Promise<void>((resolve) => void this.#waiters.push({ until, resolve }));
  }

  #report(drop: Drop): void {
    const { onDrop = logDrop } = this.#options;
    this.#tell(() => onDrop(drop));
  }

  /** What a callback throws is uncaught, as in a timer, and does not stop the sending. */
  #tell(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

function logDrop({ reason, events, error }: Drop): void {
  const why = error instanceof Error ? `: ${error.message}` : "";
  // oxlint-disable-next-line no-console -- nothing is lost silently, even if no callback is set
  console.error(`annals: ${events.length} events were dropped (${reason})${why}`);
}
