// Responds to a request before its body has arrived: one refused by its head, or too large. Called by
// error-responder.ts, refuse-request.ts and client-error.ts. The connection is closed afterwards (RFC 9112,
// 9.6). Many clients send all of a body before they read, and a connection that is closed on unread bytes is
// reset. So the body is drained first: read and discarded. It must never drain more than a body that the
// service could have taken, nor let the connections of one client use up the places of others.

import { drainBody, hasUnreadBody } from "@annals/chassis";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { Readable } from "node:stream";
import { Shares } from "./shares.ts";

const KIB = 1024;

/** Twice the largest body that a route takes. A client that sends more may see a reset. */
export const MAX_DRAINED_BYTES = 16 * KIB * KIB;
/** Limit for a body whose Content-Length is beyond all that: what its sender may have sent at once. */
const MAX_DISCARDED_BYTES = 64 * KIB;
/** Connections that wait for their client to close. Beyond them, one is closed with its response. */
const MAX_LINGERING = 1_000;

export interface EarlyResponsesOptions {
  /** The longest that a body is drained: the time that a client has for a request. */
  readonly maxMs: number;
  /** How long a drain waits for a client that sends nothing more; by default a second. */
  readonly idleMs?: number;
}

export class EarlyResponses {
  readonly #options: EarlyResponsesOptions;
  /** Holders are accounts and addresses. Each leaves half of what is free. */
  readonly #lingering = new Shares({ total: MAX_LINGERING, share: MAX_LINGERING });
  readonly #ending = new WeakSet<Duplex>();

  constructor(options: EarlyResponsesOptions) {
    this.#options = options;
  }

  /**
   * Whether a response has announced that the connection will close. No further request on it may be
   * processed: its sender could not learn the result.
   */
  isEnding(socket: Duplex): boolean {
    return this.#ending.has(socket);
  }

  /** Streams `payload`; ends when the client has closed or has sent its body, or when enough was drained. */
  stream(payload: string | Buffer, request: IncomingMessage, holder: string): Readable {
    this.#ending.add(request.socket);
    return Readable.from(this.#respond(payload, request, holder));
  }

  /**
   * Drains a connection whose requests are no longer parsed. Resolves when its client has closed it, or when
   * enough was drained. It takes the socket from its parser.
   */
  async drain(socket: Duplex, holder: string): Promise<void> {
    this.#ending.add(socket);
    socket.removeAllListeners("data");
    await this.#linger(socket, MAX_DRAINED_BYTES, holder);
  }

  async *#respond(
    payload: string | Buffer,
    request: IncomingMessage,
    holder: string,
  ): AsyncGenerator<string | Buffer> {
    yield payload;
    if (!hasUnreadBody(request)) return;
    const isBeyond = Number(request.headers["content-length"] ?? 0) > MAX_DRAINED_BYTES;
    await this.#linger(request, isBeyond ? MAX_DISCARDED_BYTES : MAX_DRAINED_BYTES, holder);
  }

  async #linger(body: Readable, maxBytes: number, holder: string): Promise<void> {
    if (this.#lingering.tryAcquire(holder) !== undefined) return;
    try {
      await drainBody(body, { ...this.#options, maxBytes });
    } finally {
      this.#lingering.release(holder);
    }
  }
}
