// `COPY … FROM STDIN` on a connection of pg, which has no method for it: a query object that
// speaks this part of the protocol (PostgreSQL, 54.2.6). Called by sql.ts only.

import type { Socket } from "node:net";
import type { Connection, Submittable } from "pg";

/** What pg's connection offers for COPY, beyond its declared types. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  readonly stream: Socket;
}

/** Bytes buffered for the socket before the next piece is made. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

export class CopyIn implements Submittable {
  /** Resolves when PostgreSQL has stored everything. */
  readonly done: Promise<void>;
  readonly #text: string;
  readonly #pieces: Iterator<string>;
  readonly #settle: { resolve: () => void; reject: (error: unknown) => void };
  #error: unknown;

  constructor(text: string, pieces: Iterable<string>) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.done = promise;
    this.#settle = { resolve, reject };
    this.#text = text;
    this.#pieces = pieces[Symbol.iterator]();
  }

  submit(connection: Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    if (this.#error !== undefined) return;
    const { stream } = connection;
    while (stream.writableLength < MAX_BUFFERED_BYTES) {
      const { done, value } = this.#pieces.next();
      if (done) return connection.endCopyFrom();
      connection.sendCopyFromChunk(Buffer.from(value));
    }
    stream.once("drain", () => this.handleCopyInResponse(connection));
  }

  handleError(error: unknown): void {
    this.#error = error;
    this.#settle.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settle.resolve();
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handleCopyData(): void {}
}
