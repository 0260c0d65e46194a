// The JSON of events that deliveries will send, or have sent a moment ago, so that an event that many
// webhooks receive is read once. Used by event-reader.ts. It must never hold more bytes than its bounds, in
// all and per account, nor return an event that was read too long ago: parts of it may be erased since.

export interface EventCacheBounds {
  readonly maxBytes: number;
  readonly maxAccountBytes: number;
  /** Time from the beginning of its read for which an event is returned. */
  readonly maxAgeMs: number;
}

interface Kept {
  readonly data: Buffer;
  /** When its read began, on the monotonic clock. */
  readonly readAt: number;
}

interface OfAccount {
  /** Events by position, the least recently used first. */
  readonly events: Map<bigint, Kept>;
  bytes: number;
}

export class EventCache {
  readonly #bounds: EventCacheBounds;
  readonly #now: () => number;
  /** Accounts, the least recently used first. */
  readonly #accounts = new Map<string, OfAccount>();
  #bytes = 0;

  constructor(bounds: EventCacheBounds, now: () => number) {
    this.#bounds = bounds;
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(accountId: string, position: bigint): Buffer | undefined {
    const account = this.#accounts.get(accountId);
    const kept = account?.events.get(position);
    if (!account || !kept) return undefined;
    if (this.#now() - kept.readAt >= this.#bounds.maxAgeMs) {
      this.#remove(account, position);
      return undefined;
    }
    account.events.delete(position);
    account.events.set(position, kept);
    this.#touch(accountId, account);
    return kept.data;
  }

  set(accountId: string, position: bigint, kept: Kept): void {
    const { data } = kept;
    const { maxAccountBytes, maxBytes } = this.#bounds;
    if (data.length > maxAccountBytes) return;
    const account = this.#accounts.get(accountId) ?? { events: new Map(), bytes: 0 };
    this.#remove(account, position);
    account.events.set(position, kept);
    account.bytes += data.length;
    this.#bytes += data.length;
    this.#touch(accountId, account);
    while (account.bytes > maxAccountBytes) this.#removeOldest(account);
    while (this.#bytes > maxBytes) this.#evict();
  }

  #touch(accountId: string, account: OfAccount): void {
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, account);
  }

  /** Removes the oldest event of the least recently used account. */
  #evict(): void {
    const [[accountId, account] = ["", { events: new Map(), bytes: 0 }]] = this.#accounts;
    this.#removeOldest(account);
    if (account.events.size === 0) this.#accounts.delete(accountId);
  }

  #removeOldest(account: OfAccount): void {
    for (const position of account.events.keys()) {
      this.#remove(account, position);
      return;
    }
  }

  #remove(account: OfAccount, position: bigint): void {
    const kept = account.events.get(position);
    if (!kept) return;
    account.events.delete(position);
    account.bytes -= kept.data.length;
    this.#bytes -= kept.data.length;
  }
}
