// The buffer of track(): a bounded queue of events, sent in batches by size and by time, one batch after the
// other, so that events are stored in the order in which they were tracked. A batch keeps its idempotency key
// until it gets a response, so that each event is stored once. Called by annals.ts. It must never lose an
// event without naming it to onDrop, and never send a batch again under another key when it may be stored.

import { AnnalsError } from "./annals-error.ts";
import type { Clock } from "./clock.ts";
import { jsonOf } from "./json-text.ts";
import { closeBeforeExit, held, leaveAtExit } from "./process-end.ts";
import { isRefused, retryDelay } from "./retry.ts";
import { TrackingLimits } from "./tracking-limits.ts";
import {
  type Drop,
  type DropReason,
  logDrop,
  logStall,
  type TrackingOptions,
} from "./tracking-options.ts";
import type { NewEvent } from "./types.ts";

const DEFAULTS = {
  batchEvents: 500,
  batchBytes: 1_000_000,
  maxWaitMs: 1_000,
};

/** An hour less than the least time for which a service keeps a key after it has stored its request. */
const KEY_LIFETIME_MS = 23 * 60 * 60 * 1_000;

const CLOSE_TIMEOUT_MS = 10_000;

/** The first warning comes after this time without progress, the others after the time below. */
const STALLED_MS = 10_000;
const WARN_AGAIN_MS = 60_000;

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
  /** Counts all buffered events, those in flight included, perhaps with those of other clients. */
  readonly #limits: TrackingLimits;
  #queue: Item[] = [];
  #events = 0;
  #tracked = 0;
  #settled = 0;
  /** Events up to this one do not wait for others. */
  #hurryTo = 0;
  #loop: Promise<void> | undefined;
  #waiting = new AbortController();
  #waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  #isClosed = false;
  #warnAt = 0;

  constructor(deps: TrackerDeps, options: TrackingOptions = {}) {
    this.#deps = deps;
    this.#options = { ...DEFAULTS, ...options };
    this.#limits = options.limits ?? new TrackingLimits(options);
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
    if (!this.#limits.add(item.bytes)) return this.#refuse("full", event);
    this.#queue.push(item);
    this.#events += 1;
    this.#tracked += 1;
    if (this.#isBatchReady()) this.#waiting.abort();
    this.#loop ??= this.#run();
    return true;
  }

  /**
   * Resolves while the buffer is at most half full: wait for it before each event, and none is dropped.
   */
  async ready(): Promise<void> {
    return held(this.#limits.ready());
  }

  /** Resolves when every event tracked so far is stored or dropped. */
  async flush(): Promise<void> {
    const target = this.#tracked;
    this.#hurryTo = target;
    this.#waiting.abort();
    if (this.#settled >= target) return;
    await held(new Promise<void>((resolve) => void this.#waiters.push({ count: target, resolve })));
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
      const text = jsonOf({ ...event, occurred_at: occurredAt });
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
    closeBeforeExit(this);
    this.#warnAt = this.#deps.clock.now() + STALLED_MS;
    while (this.#queue.length > 0) {
      const isHurried = this.#settled < this.#hurryTo || this.#abort.signal.aborted;
      if (!isHurried && !this.#isBatchReady()) {
        this.#waiting = new AbortController();
        await this.#deps.clock.wait(this.#options.maxWaitMs, this.#waiting.signal);
      }
      await this.#send(this.#takeBatch());
    }
    this.#loop = undefined;
    leaveAtExit(this);
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
    let error: unknown;
    /** When the first attempt began after which the batch may be stored. */
    let unknownSince: number | undefined;
    let reason: DropReason = "closed";
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const began = clock.now();
      try {
        await send(body, key, signal);
        return this.#settle(items);
      } catch (failure) {
        error = failure;
        if (!isRefused(failure)) unknownSince ??= began;
      }
      if (AnnalsError.is(error, "validation_error")) return this.#sendValid(items, error);
      const delayMs = retryDelay(error, attempt, random());
      const isQuota = AnnalsError.is(error, "plan_limit_exceeded");
      if (isQuota && delayMs > KEY_LIFETIME_MS) {
        reason = "quota";
        break;
      }
      if (clock.now() + delayMs - (unknownSince ?? Infinity) > KEY_LIFETIME_MS) break;
      if (signal.aborted) break;
      this.#tell(() => this.#options.onRetry?.({ error, attempt, delayMs }));
      await this.#waitToRetry(delayMs, error);
    }
    this.#drop(items, unknownSince === undefined ? reason : "unconfirmed", error);
  }

  /** Warns on the way if there is no progress, so that a wrong key or address does not stay unnoticed. */
  async #waitToRetry(delayMs: number, error: unknown): Promise<void> {
    const { clock } = this.#deps;
    const { signal } = this.#abort;
    const until = clock.now() + delayMs;
    for (let now = clock.now(); now < until && !signal.aborted; now = clock.now()) {
      if (now >= this.#warnAt) {
        this.#warnAt = now + WARN_AGAIN_MS;
        this.#warn(error);
      }
      await clock.wait(Math.min(until, this.#warnAt) - now, signal);
    }
  }

  #warn(error: unknown): void {
    const { onStall = logStall } = this.#options;
    const known = AnnalsError.is(error) ? error : undefined;
    const waiting = this.#events;
    this.#tell(() => onStall({ type: known?.type, status: known?.status, waiting }));
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
    this.#settled += items.length;
    this.#warnAt = this.#deps.clock.now() + STALLED_MS;
    this.#limits.remove(
      items.length,
      items.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    const done = this.#waiters.filter(({ count }) => count <= this.#settled);
    this.#waiters = this.#waiters.filter((waiter) => !done.includes(waiter));
    for (const { resolve } of done) resolve();
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
