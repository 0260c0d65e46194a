// The buffer of track(): a bounded queue of events, sent in batches by size and by time, one batch after the
// other, so that events are stored in the order in which they were tracked. Called by annals.ts. It must
// never lose an event without naming it to onDrop.

import type { DropReason, EventTracker, Refusal } from "./batch.ts";
import { Delivery, type DeliveryDeps } from "./delivery.ts";
import { jsonOf } from "./json-text.ts";
import { closeBeforeExit, held, leaveAtExit } from "./process-end.ts";
import { TrackingLimits } from "./tracking-limits.ts";
import { TRACKING_DEFAULTS, type TrackingOptions } from "./tracking-options.ts";
import type { NewEvent } from "./types.ts";

const CLOSE_TIMEOUT_MS = 10_000;

interface Item {
  readonly text: string;
  readonly bytes: number;
}

export class Tracker implements EventTracker {
  readonly #deps: DeliveryDeps;
  readonly #delivery: Delivery;
  readonly #options: TrackingOptions & typeof TRACKING_DEFAULTS;
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

  constructor(deps: DeliveryDeps, options: TrackingOptions = {}) {
    this.#deps = deps;
    this.#delivery = new Delivery(deps, options, this.#abort.signal, () => this.#events);
    this.#options = { ...TRACKING_DEFAULTS, ...options };
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
    this.#delivery.report({ reason, events: [event], error: undefined });
    return false;
  }

  /** Sends batches until the queue is empty. */
  async #run(): Promise<void> {
    closeBeforeExit(this);
    this.#delivery.progress();
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
    const texts = items.map(({ text }) => text);
    const outcome = await this.#delivery.deliver({ key: crypto.randomUUID(), texts });
    if (outcome.kind === "stored") return this.#settle(items);
    if (outcome.kind === "refused") return this.#sendValid(items, outcome);
    this.#drop(items, outcome.kind, outcome.error);
  }

  /** Nothing of a refused batch is stored. Drops the events at fault, and sends the others. */
  async #sendValid(items: readonly Item[], { error, faulty }: Refusal): Promise<void> {
    const named = items.filter((_, index) => faulty.has(index));
    if (named.length > 0 || items.length === 1) {
      const refused = named.length > 0 ? named : items;
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
    this.#delivery.report({ reason, events, error });
    this.#settle(items);
  }

  #settle(items: readonly Item[]): void {
    this.#events -= items.length;
    this.#settled += items.length;
    this.#delivery.progress();
    this.#limits.remove(
      items.length,
      items.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    const done = this.#waiters.filter(({ count }) => count <= this.#settled);
    this.#waiters = this.#waiters.filter((waiter) => !done.includes(waiter));
    for (const { resolve } of done) resolve();
  }
}
