// A proxy between the ledgers and PostgreSQL. It parses as much of the wire protocol (PostgreSQL 18, chapter
// 54) as it needs to recognise what stores events, and closes the connection after that was sent and before
// the response is back. Called by lost-commit-acknowledgement.test.ts. It must never change a byte.

import type { Socket } from "node:net";
import { Relay } from "../relay.ts";

/**
 * What becomes of the two ends: PostgreSQL finishes and its answer is thrown away, so the events are stored
 * for sure; or both connections are closed or reset in the moment in which the last byte was written, so it
 * is unknown.
 */
export type Cut = "answer thrown away" | "closed" | "reset";
export const CUTS: readonly Cut[] = ["answer thrown away", "closed", "reset"];

/** What was cut: the statement that stores events by itself, or the COMMIT after it. */
export type Stored = "statement" | "commit";

interface Armed {
  readonly how: Cut;
  readonly resolve: (what: Stored) => void;
}

export class PostgresProxy {
  readonly #relay: Relay;
  #armed: Armed | undefined;

  private constructor(relay: Relay) {
    this.#relay = relay;
    relay.onConnection((client, server) => this.#pass(client, server));
  }

  /** Passes all connections on to the server of `databaseUrl`. */
  static async start(databaseUrl: string): Promise<PostgresProxy> {
    return new PostgresProxy(await Relay.to(databaseUrl));
  }

  /** `databaseUrl` by way of this proxy. */
  through(databaseUrl: string): string {
    return this.#relay.through(databaseUrl);
  }

  /** Cuts the next connection that stores events, and resolves when it is cut. */
  cutNext(how: Cut): Promise<Stored> {
    const { promise, resolve } = Promise.withResolvers<Stored>();
    this.#armed = { how, resolve };
    return promise;
  }

  async close(): Promise<void> {
    await this.#relay.close();
  }

  #pass(client: Socket, server: Socket): void {
    const statements = new Statements();
    let isCut = false;
    client.on("data", (chunk: Buffer) => {
      const stored = statements.take(chunk);
      const armed = stored === undefined ? undefined : this.#armed;
      server.write(chunk, () => {
        if (armed && stored) cut(armed.how, client, server, () => armed.resolve(stored));
      });
      if (armed) {
        this.#armed = undefined;
        isCut = true;
      }
    });
    server.on("data", (chunk: Buffer) => {
      if (!isCut) client.write(chunk);
    });
  }
}

/** `ReadyForQuery` outside of a transaction: the statement, or the COMMIT, is done. */
const DONE = Buffer.from("Z\0\0\0\u0005I", "latin1");

function cut(how: Cut, client: Socket, server: Socket, then: () => void): void {
  if (how === "answer thrown away") {
    let tail = Buffer.alloc(0);
    server.on("data", (chunk: Buffer) => {
      tail = Buffer.concat([tail, chunk]).subarray(-DONE.length);
      if (!tail.equals(DONE)) return;
      client.destroy();
      then();
    });
    return;
  }
  for (const socket of [client, server]) {
    if (how === "reset") socket.resetAndDestroy();
    else socket.destroy();
  }
  then();
}

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;
/** An SSLRequest has this length and is followed by the true start. */
const SSL_REQUEST_BYTES = 8;
const STORES_EVENTS = /\bINSERT INTO ledger\.chain\b/;

/** What one client sends, message by message. */
class Statements {
  #held = Buffer.alloc(0);
  #isStarted = false;
  readonly #prepared = new Map<string, string>();
  /** Text of what runs at the next Sync. */
  #bound = "";
  #isInTransaction = false;
  #hasStored = false;

  /** What makes events durable and ends within these bytes. */
  take(chunk: Buffer): Stored | undefined {
    this.#held = Buffer.concat([this.#held, chunk]);
    let stored: Stored | undefined;
    for (;;) {
      const typeBytes = this.#isStarted ? TYPE_BYTES : 0;
      if (this.#held.length < typeBytes + LENGTH_BYTES) return stored;
      const length = this.#held.readInt32BE(typeBytes);
      if (this.#held.length < typeBytes + length) return stored;
      const body = this.#held.subarray(typeBytes + LENGTH_BYTES, typeBytes + length);
      if (this.#isStarted)
        stored = this.#message(this.#held.toString("latin1", 0, 1), body) ?? stored;
      else this.#isStarted = length !== SSL_REQUEST_BYTES;
      this.#held = this.#held.subarray(typeBytes + length);
    }
  }

  #message(type: string, body: Buffer): Stored | undefined {
    const [first = "", second = ""] = body.toString("latin1").split("\0", 2);
    switch (type) {
      case "P": // Parse: the name of the statement, its text
        this.#prepared.set(first, second);
        return undefined;
      case "B": // Bind: the name of the portal, that of the statement
        this.#bound = this.#prepared.get(second) ?? "";
        return undefined;
      case "S": // Sync
        return this.#runs(this.#bound);
      case "Q": // Query: its text
        return this.#runs(first);
      default:
        return undefined;
    }
  }

  #runs(text: string): Stored | undefined {
    this.#bound = "";
    switch (text) {
      case "BEGIN":
        this.#isInTransaction = true;
        this.#hasStored = false;
        return undefined;
      case "ROLLBACK":
        this.#isInTransaction = false;
        return undefined;
      case "COMMIT":
        this.#isInTransaction = false;
        return this.#hasStored ? "commit" : undefined;
      default:
        if (!STORES_EVENTS.test(text)) return undefined;
        if (!this.#isInTransaction) return "statement";
        this.#hasStored = true;
        return undefined;
    }
  }
}
