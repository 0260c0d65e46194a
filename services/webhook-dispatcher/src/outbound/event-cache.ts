// The JSON of events that deliveries will send, or have sent a moment ago, so that an event that many
// webhooks receive is read once. Used by event-reader.ts. It must never hold more bytes than its bounds, in
// all and per account.

export interface EventCacheBounds {
  readonly maxBytes: number;
  readonly maxAccountBytes: number;
}

interface OfAccount {
  /** Events by position, the least recently used first. */
  readonly events: Map<bigint, Buffer>;
  bytes: number;
}

export class EventCache {
  readonly #bounds: EventCacheBounds;
  /** Accounts, the least recently used first. */
  readonly #accounts = new Map<string, OfAccount>();
  #bytes = 0;

  constructor(bounds: EventCacheBounds) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(accountId: string, position: bigint): Buffer | undefined {
    const account = this.#accounts.get(accountId);
    const data = account?.events.get(position);
    if (!account || !data) return undefined;
    account.events.delete(position);
    account.events.set(position, data);
    this.#touch(accountId, account);
    return data;
  }

  set(accountId: string, position: bigint, data: Buffer): void {
    const { maxAccountBytes, maxBytes } = this.#bounds;
    if (data.length > maxAccountBytes) return;
    const account = this.#accounts.get(accountId) ?? { events: new Map(), bytes: 0 };
    this.#remove(account, position);
    account.events.set(position, data);
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
    const data = account.events.get(position);
    if (!data) return;
    account.events.delete(position);
    account.bytes -= data.length;
    this.#bytes -= data.length;
  }
}
