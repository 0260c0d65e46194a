// The accounts whose events could not be read a moment ago. Called by delivery-engine.ts. Such an account claims
// nothing for a moment, and then one delivery, until a read succeeds: a ledger that is away makes no load here.

/** An account claims nothing for so long. */
const PAUSE_MS = 1_000;
const MAX_ACCOUNTS = 10_000;

export class UnreadAccounts {
  /** Until when each claims nothing, on the monotonic clock. */
  readonly #until = new Map<string, number>();

  ids(): Iterable<string> {
    return this.#until.keys();
  }

  /** How many of `slots` the account may use. */
  limit(accountId: string, slots: number): number {
    const until = this.#until.get(accountId);
    if (until === undefined) return slots;
    return performance.now() < until ? 0 : Math.min(slots, 1);
  }

  /** A read of the account has ended. */
  onRead(accountId: string, isRead: boolean): void {
    this.#until.delete(accountId);
    if (isRead) return;
    const [oldest] = this.#until.size >= MAX_ACCOUNTS ? this.#until.keys() : [];
    if (oldest !== undefined) this.#until.delete(oldest);
    this.#until.set(accountId, performance.now() + PAUSE_MS);
  }
}
