// Decides when a request of a connection may begin. Used by requests-in-flight.ts. Until a key was admitted
// on a connection its requests begin one after the other, each when the response before it was read: a
// client without a key makes no work in advance. It must never let more wait than there is memory for, nor
// hold back a connection whose key is known.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection without a response yet. */
const MAX_PIPELINE = 32;

/**
 * A connection with too many is no longer read, and closed after this time: a client whose connection is
 * closed at once opens another one at once, which costs as much again. At most this many wait
 * for it; each may have some requests that are parsed already.
 */
const CLOSE_AFTER_MS = 1_000;
const MAX_CLOSING = 1_000;
const MAX_PARSED = 2 * MAX_PIPELINE;

type Exchanged = readonly [request: IncomingMessage, response: ServerResponse];

export interface PipelinesOptions {
  readonly begin: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether its key was admitted lately. */
  readonly isKnown: (request: IncomingMessage) => boolean;
  /** Takes memory for a request that waits; returns what releases it, or undefined if none is left. */
  readonly hold: (request: IncomingMessage) => (() => void) | undefined;
  /** A connection was closed, since too much waits on it. */
  readonly onClosed: () => void;
}

/** A connection. */
interface Line {
  /** Requests without a response yet, including those that wait. */
  open: number;
  hasKey: boolean;
  /** It will be closed. */
  isClosing: boolean;
  readonly waiting: { readonly exchanged: Exchanged; readonly release: () => void }[];
}

export class Pipelines {
  readonly #options: PipelinesOptions;
  readonly #lines = new WeakMap<Socket, Line>();
  /** Connections whose next request may begin: one in each turn of the event loop. */
  readonly #next: Line[] = [];
  #isScheduled = false;
  #closing = 0;

  constructor(options: PipelinesOptions) {
    this.#options = options;
  }

  /** Begins the request, lets it wait, or closes its connection. */
  arrived(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    let line = this.#lines.get(socket);
    if (line === undefined)
      this.#lines.set(socket, (line = { open: 0, hasKey: false, isClosing: false, waiting: [] }));
    line.open += 1;
    if (line.isClosing || line.open > MAX_PIPELINE) return this.#close(socket, line);
    if (line.open === 1 || line.hasKey || this.#options.isKnown(request))
      return this.#options.begin(request, response);
    const release = this.#options.hold(request);
    if (release === undefined) return this.#close(socket, line);
    line.waiting.push({ exchanged: [request, response], release });
  }

  /** The response to a request was sent, or its client has disconnected. */
  over({ socket }: IncomingMessage): void {
    const line = this.#lines.get(socket);
    if (line === undefined) return;
    line.open -= 1;
    if (socket.destroyed) for (const { release } of line.waiting.splice(0)) release();
    else if (line.waiting.length > 0) this.#beginSoon(line);
  }

  /** A key was admitted on the connection. */
  keySeen({ socket }: IncomingMessage): void {
    const line = this.#lines.get(socket);
    if (line === undefined || line.hasKey) return;
    line.hasKey = true;
    this.#beginWaiting(line, MAX_PIPELINE);
  }

  #beginSoon(line: Line): void {
    this.#next.push(line);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#beginNext);
  }

  readonly #beginNext = (): void => {
    const line = this.#next.shift();
    if (line) this.#beginWaiting(line, 1);
    this.#isScheduled = this.#next.length > 0;
    if (this.#isScheduled) setImmediate(this.#beginNext);
  };

  #beginWaiting(line: Line, count: number): void {
    for (const { exchanged, release } of line.waiting.splice(0, count)) {
      release();
      this.#options.begin(...exchanged);
    }
  }

  #close(socket: Socket, line: Line): void {
    if (line.isClosing) {
      if (line.open > MAX_PARSED) socket.destroy();
      return;
    }
    line.isClosing = true;
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
}
