// The bound of what track() buffers, of one client or of several that share it. Used by tracker.ts.

const MAX_EVENTS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;

export class TrackingLimits {
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  #events = 0;
  #bytes = 0;
  #waiting: (() => void)[] = [];

  /** Defaults to 10,000 events and 32 MiB of JSON. */
  constructor({
    maxEvents = MAX_EVENTS,
    maxBytes = MAX_BYTES,
  }: { readonly maxEvents?: number; readonly maxBytes?: number } = {}) {
    this.#maxEvents = maxEvents;
    this.#maxBytes = maxBytes;
  }

  /** Counts an event. False if there is no space for it. */
  add(bytes: number): boolean {
    if (this.#events >= this.#maxEvents || this.#bytes + bytes > this.#maxBytes) return false;
    this.#events += 1;
    this.#bytes += bytes;
    return true;
  }

  /** Stops counting events that are stored or dropped. */
  remove(events: number, bytes: number): void {
    this.#events -= events;
    this.#bytes -= bytes;
    if (!this.#hasSpace()) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves while at most half is used. */
  async ready(): Promise<void> {
    if (this.#hasSpace()) return;
    await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  #hasSpace(): boolean {
    return this.#events <= this.#maxEvents / 2 && this.#bytes <= this.#maxBytes / 2;
  }
}
