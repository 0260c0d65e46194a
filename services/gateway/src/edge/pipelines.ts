// The requests of each connection. They begin one after the other, each when the response before it was given
// to the kernel: unsafe ones must (RFC 9112, 9.3.2), and a client makes no work in advance. Called by
// requests-in-flight.ts. It must never let more wait than there is memory for.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";

/** Requests of one connection without a response yet. */
const MAX_PIPELINE = 32;

/**
 * A connection with too many is no longer read, and closed after this time: a client whose connection is
 * closed at once opens another one at once, and the attacks of hostile-slots.test.ts took a gateway 408 MB in
 * place of 296. At most this many wait for it; each may have some requests that are parsed already.
 */
const CLOSE_AFTER_MS = 1_000;
const MAX_CLOSING = 1_000;
const MAX_PARSED = 2 * MAX_PIPELINE;

export interface PipelinesOptions {
  readonly begin: (request: IncomingMessage, response: ServerResponse) => void;
  /** Takes memory for a request that waits; returns what releases it, or undefined if none is left. */
  readonly hold: (request: IncomingMessage) => (() => void) | undefined;
  /** A connection was closed, since too much waits on it. */
  readonly onClosed: () => void;
}

interface Exchanged {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Releases its memory while it waits. */
  release: (() => void) | undefined;
}

/** A connection. */
interface Line {
  /** The request that came last. It alone can be incomplete. */
  newest: Exchanged | undefined;
  /** Requests without a response yet: the first has begun, or is about to, and the others wait. */
  readonly open: Exchanged[];
  /** Requests beyond what it may have: it will be closed. */
  beyond: number;
}

export class Pipelines {
  readonly #options: PipelinesOptions;
  readonly #lines = new WeakMap<Duplex, Line>();
  /** What begins the requests that have waited. */
  #begun = Promise.resolve();
  #closing = 0;

  constructor(options: PipelinesOptions) {
    this.#options = options;
  }

  /** Begins the request, lets it wait, or closes its connection. */
  arrived(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    let line = this.#lines.get(socket);
    if (line === undefined)
      this.#lines.set(socket, (line = { newest: undefined, open: [], beyond: 0 }));
    const { open } = line;
    if (!socket.writable) return;
    if (line.beyond > 0) return this.#close(socket, line);
    if (open.length === 0) {
      open.push((line.newest = { request, response, release: undefined }));
      return this.#options.begin(request, response);
    }
    const release = open.length < MAX_PIPELINE ? this.#options.hold(request) : undefined;
    if (release === undefined) return this.#close(socket, line);
    open.push((line.newest = { request, response, release }));
  }

  /** The response to a request was sent, or its client has disconnected. */
  over({ socket }: IncomingMessage): void {
    const line = this.#lines.get(socket);
    const first = line?.open.shift();
    if (line === undefined || first === undefined) return;
    endWait(first);
    // One begins in each turn of the event loop, however many connections have one.
    if (line.open.length > 0) this.#begun = this.#begun.then(turn).then(() => this.#begin(line));
  }

  #begin({ open: [next] }: Line): void {
    // Behind a response that ends the connection none begins (RFC 9112, 9.6).
    if (next === undefined || !next.request.socket.writable) return;
    endWait(next);
    this.#options.begin(next.request, next.response);
  }

  #close(socket: Socket, line: Line): void {
    line.beyond += 1;
    if (line.beyond > MAX_PARSED - MAX_PIPELINE) socket.destroy();
    if (line.beyond > 1) return;
    this.#options.onClosed();
    if (this.#closing >= MAX_CLOSING) {
      socket.destroy();
      return;
    }
    this.#closing += 1;
    socket.pause();
    // Node.js resumes the connection when it has handed out a request.
    socket.on("resume", () => socket.pause());
    const timer = setTimeout(() => socket.destroy(), CLOSE_AFTER_MS);
    socket.once("close", () => {
      this.#closing -= 1;
      clearTimeout(timer);
    });
  }

  /**
   * For a connection that can send no more requests. Resolves when every complete request on it has its
   * response, to whether the incomplete one got a response too, which happens when it is refused before its
   * body.
   */
  async allResponded(socket: Duplex): Promise<boolean> {
    const line = this.#lines.get(socket);
    if (line?.newest === undefined) return false;
    const { newest, open } = line;
    const last = open.findLast(({ request }) => request.complete);
    if (last !== undefined) await ended(last.response);
    return !newest.request.complete && newest.response.headersSent;
  }
}

function endWait(exchanged: Exchanged): void {
  exchanged.release?.();
  exchanged.release = undefined;
}

async function ended(response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once("finish", resolve);
    response.once("close", resolve);
  });
}
