// When the scan over the webhooks continues, and after which of them. Called by worker/delivery-engine.ts.
// It reads no clock: times are milliseconds on any monotonic clock.

/** Webhooks that one statement reads. The next statement continues after them. */
export const WEBHOOKS_PER_SCAN = 1_000;
/** Time from the end of a scan over all webhooks to the next: this, or ten times as long as it took. */
const INTERVAL_MS = 250;
const PAUSE_RATIO = 10;
/**
 * Maximum time to the next scan, because a retry that waits for the scan may not be late. It is also the time
 * after a scan that found no open queue: then only another process can have left something.
 */
export const MAX_INTERVAL_MS = 2_000;

type Key = readonly [accountId: string, webhookId: string];

const START: Key = ["", ""];

export class ScanSchedule {
  #after = START;
  #at = 0;
  /** Time that the statements of the scan in progress have taken. */
  #tookMs = 0;
  /** Whether the scan in progress has found a queue that is open. */
  #hasFound = false;

  /** The webhook after which the scan continues. */
  get after(): Key {
    return this.#after;
  }

  /** Milliseconds until the scan continues; 0 or less: now. */
  dueInMs(now: number): number {
    return Math.ceil(this.#at - now);
  }

  /** Called when this process has opened a queue, whose retries wait for the scan. */
  expectQueue(now: number): void {
    this.#at = Math.min(this.#at, now + INTERVAL_MS);
  }

  /**
   * Called when a statement has read up to the webhook `last`, with the number of open queues that it has
   * found; undefined: to the end.
   */
  ended(
    last: Key | undefined,
    {
      begunAt,
      found,
      now,
    }: { readonly begunAt: number; readonly found: number; readonly now: number },
  ): void {
    this.#after = last ?? START;
    this.#tookMs += now - begunAt;
    this.#hasFound ||= found > 0;
    this.#at = now;
    if (last) return;
    const intervalMs = Math.max(INTERVAL_MS, this.#tookMs * PAUSE_RATIO);
    this.#at += this.#hasFound ? Math.min(intervalMs, MAX_INTERVAL_MS) : MAX_INTERVAL_MS;
    this.#tookMs = 0;
    this.#hasFound = false;
  }
}
