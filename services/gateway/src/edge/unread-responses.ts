// Counts the bytes of responses that their clients have not read: of the account, or of an address without a
// key. Used by requests-in-flight.ts. What the kernel took at once does not count. Beyond what a holder may
// have, its response that has been unread longest is abandoned. It must never disconnect a client of
// another holder.

import type { IncomingMessage } from "node:http";
import type { Exchange } from "./exchange.ts";
import { DOWNLOAD_BYTES, type Resources } from "./resources.ts";

/** What an unread response takes at least: the objects of Node and its head. */
const MIN_UNREAD_BYTES = 4 * 1024;

export class UnreadResponses {
  readonly #resources: Resources;
  /** The requests in flight, in the order in which they came. */
  readonly #open: ReadonlyMap<IncomingMessage, Exchange>;

  constructor(resources: Resources, open: ReadonlyMap<IncomingMessage, Exchange>) {
    this.#resources = resources;
    this.#open = open;
  }

  /** Whether the account leaves more than half of what it may have unread, its downloads aside. */
  isHalfTaken(accountId: string): boolean {
    const { downloads, unread_bytes: shares } = this.#resources.shares;
    const ofDownloads = downloads.heldBy(accountId) * DOWNLOAD_BYTES;
    return shares.heldBy(accountId) - ofDownloads > shares.share / 2;
  }

  /** For a response that is not made yet. Throws `rate_limited` or `unavailable`. */
  reserve(exchange: Exchange, bytes: number): void {
    const { resource, holder } = potOf(exchange);
    this.#resources.check(resource, this.#resources.shares[resource].tryAcquire(holder, bytes));
    exchange.unread += bytes;
  }

  /** Counts what is left of a response that was made. */
  measure(exchange: Exchange, streamedBytes: number): void {
    const { response, unread } = exchange;
    const left = response.writableEnded ? response.writableLength : Math.max(streamedBytes, unread);
    const wanted = left === 0 ? 0 : Math.max(left, MIN_UNREAD_BYTES);
    if (wanted < unread) this.release(exchange, unread - wanted);
    else if (wanted > unread) this.#add(exchange, wanted - unread);
  }

  release(exchange: Exchange, bytes = exchange.unread): void {
    if (bytes === 0) return;
    const { resource, holder } = potOf(exchange);
    exchange.unread -= bytes;
    this.#resources.shares[resource].release(holder, bytes);
  }

  /**
   * The response exists. An account may go beyond its share for it, to half of what is free: its appends are
   * stored, and their responses are not lost to a moment of much work.
   */
  #add(exchange: Exchange, bytes: number): void {
    const { resource, holder } = potOf(exchange);
    const shares = this.#resources.shares[resource];
    const most = resource === "unread_bytes" ? Infinity : shares.share;
    for (;;) {
      const refusal = shares.tryAcquire(holder, bytes, most);
      if (refusal === undefined) {
        exchange.unread += bytes;
        return;
      }
      this.#resources.refused(resource, refusal);
      const given = this.#longestUnread(resource, holder) ?? exchange;
      this.release(given);
      given.request.socket.destroy();
      if (given === exchange) return;
    }
  }

  #longestUnread(resource: Pot["resource"], holder: string): Exchange | undefined {
    for (const exchange of this.#open.values()) {
      if (exchange.unread === 0 || !exchange.hasResponse) continue;
      const pot = potOf(exchange);
      if (pot.resource === resource && pot.holder === holder) return exchange;
    }
    return undefined;
  }
}

interface Pot {
  readonly resource: "unread_bytes" | "anonymous_bytes";
  readonly holder: string;
}

function potOf({ accountId, address }: Exchange): Pot {
  if (accountId !== undefined) return { resource: "unread_bytes", holder: accountId };
  return { resource: "anonymous_bytes", holder: address };
}
