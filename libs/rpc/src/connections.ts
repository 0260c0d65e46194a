// The HTTP/2 connections of one RPC server: each is retired when it has reached its age, and all are when
// the server drains. Called by rpc-server.ts. A client looks its name up again only when a connection ends,
// so without an age a server started later would get no calls. Retiring must never fail a call, nor let one
// be made twice.

import { constants, type Http2Session } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@annals/chassis";

export interface RpcSessionsOptions {
  /** A connection is retired after this time, give or take AGE_JITTER. */
  readonly maxAgeMs: number;
  /** Calls on a connection retired by age may take this long. */
  readonly maxAgeGraceMs: number;
  /** 0 to 1. */
  readonly random: () => number;
  readonly log: Pick<Logger, "debug">;
}

/** Share of the age by which connections differ, so that they are not all renewed at once. */
const AGE_JITTER = 0.1;

/** The highest that HTTP/2 has. */
const MAX_STREAM_ID = 2 ** 31 - 1;
/** How often to look whether the first GOAWAY has left, while the socket takes nothing. */
const FLUSH_POLL_MS = 2;
/** Peers get this long to read the second GOAWAY before the socket may close. */
const LINGER_MS = 250;
const NONE_OPEN_POLL_MS = 10;

export class RpcSessions {
  readonly #options: RpcSessionsOptions;
  /** Of each, what is aborted when it is told to go. */
  readonly #open = new Map<Http2Session, AbortController>();

  constructor(options: RpcSessionsOptions) {
    this.#options = options;
  }

  add(session: Http2Session): void {
    const { maxAgeMs, maxAgeGraceMs, random, log } = this.#options;
    const ageMs = maxAgeMs * (1 + AGE_JITTER * (2 * random() - 1));
    const ageTimer = setTimeout(() => this.#retire(session, maxAgeGraceMs), ageMs).unref();
    this.#open.set(session, new AbortController());
    // For the log only: Node's server hears these too, so that no peer's fault ends the process.
    session.on("error", (err) => log.debug({ err }, "rpc connection failed"));
    session.once("close", () => {
      clearTimeout(ageTimer);
      this.#open.delete(session);
    });
  }

  /** Aborted when the connection is told to go. Undefined for one that is not open. */
  retiring(session: Http2Session): AbortSignal | undefined {
    return this.#open.get(session)?.signal;
  }

  /** Resolves when no connection is open, or after `timeoutMs`. */
  async noneOpen(timeoutMs: number): Promise<void> {
    for (const end = performance.now() + timeoutMs; performance.now() < end;) {
      if (this.#open.size === 0) return;
      await sleep(NONE_OPEN_POLL_MS);
    }
  }

  /**
   * Retires all; resolves when all are closed, which is when their calls have ended or `graceMs` have
   * passed.
   */
  async drain(graceMs: number): Promise<void> {
    const closed = [...this.#open.keys()].map(
      (session) => new Promise<void>((resolve) => session.once("close", resolve)),
    );
    for (const session of this.#open.keys()) this.#retire(session, graceMs);
    await Promise.all(closed);
  }

  #retire(session: Http2Session, graceMs: number): void {
    retire(session, graceMs);
    this.#open.get(session)?.abort();
  }
}

/**
 * No new call, the open ones finish, and after `graceMs` the connection is cut.
 *
 * The first GOAWAY names no last call, for it leaves a moment after it is written, and calls that arrive in
 * that moment are begun: named too low, it would make the client send them a second time. Once it is out,
 * Node ignores what arrives. The second GOAWAY then names the last call begun, and the client sends those
 * after it to another connection. Only after that may the session close: with no call open it closes the
 * socket at once, unread bytes reset it, and a client that had not yet read the GOAWAY would see its calls
 * fail.
 */
function retire(session: Http2Session, graceMs: number): void {
  if (session.destroyed) return;
  const cut = setTimeout(() => session.destroy(), graceMs).unref();
  session.once("close", () => clearTimeout(cut));
  if (session.closed) return;
  session.goaway(constants.NGHTTP2_NO_ERROR, MAX_STREAM_ID);
  whenSent(session, () => {
    session.goaway(constants.NGHTTP2_NO_ERROR);
    const linger = setTimeout(() => session.close(), LINGER_MS).unref();
    session.once("close", () => clearTimeout(linger));
  });
}

/** Node writes before it runs immediates; only a socket that takes nothing makes it wait longer. */
function whenSent(session: Http2Session, then: () => void): void {
  setImmediate(() => {
    if (session.destroyed) return;
    if (session.state.outboundQueueSize === 0) then();
    else setTimeout(() => whenSent(session, then), FLUSH_POLL_MS).unref();
  });
}
