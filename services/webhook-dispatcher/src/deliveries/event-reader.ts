// Reads the events that deliveries name, when they are sent. Called by worker/bodies.ts; the fan-out hands
// over the events that it has read. Events that are requested while a read of their account is in flight are
// read together in the next read, and no account has more than one read in flight. An event is read once,
// however many deliveries wait for it.

import { EventCache, type EventCacheBounds } from "./event-cache.ts";
import type { Producers } from "../outbound/producers.ts";

/** The JSON of an event in UTF-8; undefined if the chain has no event of that number. */
export type EventData = Buffer | undefined;

const MIB = 1024 * 1024;
/** Time for which an event is sent as it was read. Most are sent within a moment. */
export const MAX_AGE_MS = 10_000;
const BOUNDS: EventCacheBounds = {
  maxBytes: 32 * MIB,
  maxAccountBytes: 8 * MIB,
  maxAgeMs: MAX_AGE_MS,
};
/** Maximum events of one read: as many as an account has deliveries in flight. */
const MAX_PER_READ = 250;

interface Wanted {
  readonly promise: Promise<EventData>;
  readonly resolve: (data: EventData) => void;
  readonly reject: (error: unknown) => void;
}

interface OfAccount {
  readonly wanted: Map<bigint, Wanted>;
  isReading: boolean;
}

export class EventReader {
  readonly #producers: Pick<Producers, "events">;
  readonly #cache: EventCache;
  readonly #now: () => number;
  readonly #accounts = new Map<string, OfAccount>();

  constructor(
    producers: Pick<Producers, "events">,
    bounds = BOUNDS,
    now = () => performance.now(),
  ) {
    this.#producers = producers;
    this.#now = now;
    this.#cache = new EventCache(bounds, now);
  }

  /** Keeps events that will be read soon. `readAt` is when their read began, on the monotonic clock. */
  keep(
    accountId: string,
    events: Iterable<readonly [position: bigint, json: string]>,
    readAt: number,
  ): void {
    for (const [position, json] of events) {
      this.#cache.set(accountId, position, { data: Buffer.from(json), readAt });
    }
  }

  /** Reads an event. Rejects if the ledger does not respond: then nothing is known of the event. */
  read(accountId: string, position: bigint): Promise<EventData> {
    const known = this.#cache.get(accountId, position);
    if (known) return Promise.resolve(known);
    const account = this.#accounts.get(accountId) ?? { wanted: new Map(), isReading: false };
    this.#accounts.set(accountId, account);
    const wanted = account.wanted.get(position) ?? Promise.withResolvers<EventData>();
    account.wanted.set(position, wanted);
    if (!account.isReading) {
      account.isReading = true;
      // Events that are requested in the same turn of the event loop are read together.
      setImmediate(() => void this.#readAll(accountId, account));
    }
    return wanted.promise;
  }

  async #readAll(accountId: string, account: OfAccount): Promise<void> {
    while (account.wanted.size > 0) {
      const positions = [...account.wanted.keys()]
        .toSorted((a, b) => (a < b ? -1 : 1))
        .slice(0, MAX_PER_READ);
      try {
        await this.#readSome(accountId, account, positions);
      } catch (error) {
        for (const position of positions) this.#settle(account, position)?.reject(error);
      }
    }
    this.#accounts.delete(accountId);
  }

  async #readSome(
    accountId: string,
    account: OfAccount,
    positions: readonly bigint[],
  ): Promise<void> {
    const readAt = this.#now();
    const { events, hasMore } = await this.#producers.events(accountId, positions);
    const last = events.at(-1)?.[0];
    for (const [position, json] of events) {
      const data = Buffer.from(json);
      this.#cache.set(accountId, position, { data, readAt });
      this.#settle(account, position)?.resolve(data);
    }
    // Events after the last one were left out because of their size: they come with the next read.
    for (const position of positions) {
      if (hasMore && last !== undefined && position > last) continue;
      this.#settle(account, position)?.resolve(undefined);
    }
  }

  #settle(account: OfAccount, position: bigint): Wanted | undefined {
    const wanted = account.wanted.get(position);
    account.wanted.delete(position);
    return wanted;
  }
}
