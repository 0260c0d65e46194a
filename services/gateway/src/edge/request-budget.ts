// Counts requests of each client, so that a client has a number per second, and ten times that at once.
// One counts refused requests, for unauthenticated.ts and error-responder.ts: there a client is an address,
// and an account from when it is authenticated, and what was served must not count. Another one counts all
// requests of an address for the head log.

/** Clients that are remembered; the oldest is forgotten first. */
const MAX_CLIENTS = 10_000;
/** Seconds of its budget that a client may use at once, and seconds that it may be beyond it. */
const BURST_S = 10;
const MAX_DEBT_S = 20;
const MS_PER_S = 1_000;

interface Spent {
  readonly count: number;
  readonly atMs: number;
}

export interface RequestBudgetOptions {
  readonly perSecond: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

export class RequestBudget {
  readonly #options: RequestBudgetOptions;
  readonly #spent = new Map<string, Spent>();

  constructor(options: RequestBudgetOptions) {
    this.#options = options;
  }

  isOver(client: string): boolean {
    return this.#spent.size > 0 && this.#countOf(client) >= BURST_S * this.#options.perSecond;
  }

  /** Counts a request of `client`. */
  count(client: string): void {
    const { perSecond, now } = this.#options;
    const count = Math.min(this.#countOf(client) + 1, MAX_DEBT_S * perSecond);
    this.#spent.delete(client);
    this.#spent.set(client, { count, atMs: now() });
    const [oldest] = this.#spent.keys();
    if (this.#spent.size > MAX_CLIENTS && oldest !== undefined) this.#spent.delete(oldest);
  }

  #countOf(client: string): number {
    const { perSecond, now } = this.#options;
    const spent = this.#spent.get(client);
    if (spent === undefined) return 0;
    return Math.max(0, spent.count - ((now() - spent.atMs) / MS_PER_S) * perSecond);
  }
}
