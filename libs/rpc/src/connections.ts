// The HTTP/2 connections of one RPC server. Each gets a GOAWAY when it reaches its maximum age, and all do
// when the server drains. Called by server.ts. A certificate is verified only when a connection opens, so
// without a maximum age a replaced one would be accepted permanently. A GOAWAY must never fail a call, nor
// cause one to be made twice.

import { constants, type Http2Session } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@annals/chassis";

export interface ConnectionsOptions {
  /** A connection gets a GOAWAY after this time, plus or minus AGE_JITTER. */
  readonly maxAgeMs: number;
  /** Open calls of an aged connection may take this long. */
  readonly maxAgeGraceMs: number;
  /** 0 to 1. */
  readonly random: () => number;
  readonly log: Pick<Logger, "debug">;
}

/** Share of the age. It spreads the reconnections over time. */
const AGE_JITTER = 0.1;

/** The highest of HTTP/2. */
const MAX_STREAM_ID = 2 ** 31 - 1;
/** How often to check whether the first GOAWAY was sent, while the socket is blocked. */
const FLUSH_POLL_MS = 2;
/** Clients get this long to read the second GOAWAY before the socket may close. */
const LINGER_MS = 250;
const NONE_OPEN_POLL_MS = 10;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Http2Session>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  add(session: Http2Session): void {
    const { maxAgeMs, maxAgeGraceMs, random, log } = this.#options;
    const ageMs = maxAgeMs * (1 + AGE_JITTER * (2 * random() - 1));
    const ageTimer = setTimeout(() => drain(session, maxAgeGraceMs), ageMs).unref();
    this.#open.add(session);
    // For the log only: Node's server handles these too, so no client's error ends the process.
    session.on("error", (err) => log.debug({ err }, "rpc connection failed"));
    session.once("close", () => {
      clearTimeout(ageTimer);
      this.#open.delete(session);
    });
  }

  /** Resolves when no connection is open, or after `timeoutMs`. */
  async noneOpen(timeoutMs: number): Promise<void> {
    for (const end = performance.now() + timeoutMs; performance.now() < end;) {
      if (this.#open.size === 0) return;
      await sleep(NONE_OPEN_POLL_MS);
    }
  }

  /**
   * Sends GOAWAY on every connection. Resolves when all are closed: their calls have ended, or `graceMs` have
   * passed.
   */
  async drain(graceMs: number): Promise<void> {
    const closed = [...this.#open].map(
      (session) => new Promise<void>((resolve) => session.once("close", resolve)),
    );
    for (const session of this.#open) drain(session, graceMs);
    await Promise.all(closed);
  }
}

/**
 * Accepts no new call, lets the open ones finish, and closes the connection after `graceMs` at the latest.
 *
 * The first GOAWAY names no last stream: it is sent a moment after it is written, and calls that arrive in
 * that moment are started. A lower id would make the client send them a second time. Once it is sent, Node
 * ignores new calls. The second GOAWAY then names the last stream that was started, and the client sends
 * later ones over another connection. Only after that may the session close. Without an open call it closes
 * the socket at once, unread bytes reset it, and a client that had not read the GOAWAY would see its calls
 * fail.
 */
function drain(session: Http2Session, graceMs: number): void {
  if (session.destroyed) return;
  const forceClose = setTimeout(() => session.destroy(), graceMs).unref();
  session.once("close", () => clearTimeout(forceClose));
  if (session.closed) return;
  session.goaway(constants.NGHTTP2_NO_ERROR, MAX_STREAM_ID);
  whenSent(session, () => {
    session.goaway(constants.NGHTTP2_NO_ERROR);
    const linger = setTimeout(() => session.close(), LINGER_MS).unref();
    session.once("close", () => clearTimeout(linger));
  });
}

/** Node writes before it runs immediates. Only a blocked socket takes longer. */
function whenSent(session: Http2Session, then: () => void): void {
  setImmediate(() => {
    if (session.destroyed) return;
    if (session.state.outboundQueueSize === 0) then();
    else setTimeout(() => whenSent(session, then), FLUSH_POLL_MS).unref();
  });
}
