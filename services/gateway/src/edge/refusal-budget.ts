// Counts the refusals of each client, so that one who repeats refused requests as fast as it can is slowed
// down. Called by unauthenticated.ts and error-responder.ts. A client is an address, and an account from when
// it is authenticated. It must never count what was served.

/** Clients that are remembered; the oldest is forgotten first. */
const MAX_CLIENTS = 10_000;
/** A client may use so many seconds of its budget at once, and be so many seconds beyond it. */
const BURST_S = 10;
const MAX_DEBT_S = 20;
const MS_PER_S = 1_000;

interface Spent {
  readonly count: number;
  readonly atMs: number;
}

export interface RefusalBudgetOptions {
  readonly perSecond: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

export class RefusalBudget {
  readonly #options: RefusalBudgetOptions;
  readonly #spent = new Map<string, Spent>();

  constructor(options: RefusalBudgetOptions) {
    this.#options = options;
  }

  isOver(client: string): boolean {
    return this.#spent.size > 0 && this.#count(client) >= BURST_S * this.#options.perSecond;
  }

  /** A request of `client` was refused. */
  refused(client: string): void {
    const { perSecond, now } = this.#options;
    const count = Math.min(this.#count(client) + 1, MAX_DEBT_S * perSecond);
    this.#spent.delete(client);
    this.#spent.set(client, { count, atMs: now() });
    const [oldest] = this.#spent.keys();
    if (this.#spent.size > MAX_CLIENTS && oldest !== undefined) this.#spent.delete(oldest);
  }

  #count(client: string): number {
    const { perSecond, now } = this.#options;
    const spent = this.#spent.get(client);
    if (spent === undefined) return 0;
    return Math.max(0, spent.count - ((now() - spent.atMs) / MS_PER_S) * perSecond);
  }
}
