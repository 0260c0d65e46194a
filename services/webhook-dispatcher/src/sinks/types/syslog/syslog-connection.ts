// A connection to a syslog server over TLS, for one batch. Called by syslog-receiver.ts. The server answers
// the end of the client's side with the end of its own (RFC 5425, 4.4), and does so when it has read
// everything: nothing else tells that, since syslog acknowledges no message.

import { addressTimeoutMs } from "@annals/chassis";
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls";

/**
 * Time between the last byte and the end of the client's side. A server that ends the connection by itself,
 * and has not read the bytes that have arrived by then, resets it: that is an error, and no answer.
 */
const SETTLE_MS = 100;
/** Bytes that may arrive: those of handshakes. A server of syslog sends nothing else. */
const MAX_ARRIVED_BYTES = 128 * 1024;
const WATCH_INTERVAL_MS = 250;

/** Why a batch may not have been read: an error of Node, or one of these. */
export type ConnectionEnd =
  | NodeJS.ErrnoException
  | "address"
  | "abandoned"
  | "connection"
  | "invalid_response"
  | "timeout";

export interface SyslogConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
  readonly secureContext: SecureContext;
  /** Time of the batch, in milliseconds. */
  readonly timeoutMs: number;
}

export class SyslogConnection {
  readonly #options: SyslogConnectionOptions;
  readonly #socket: Socket;
  readonly #end = Promise.withResolvers<ConnectionEnd | undefined>();
  readonly #watch: NodeJS.Timeout;
  #secure: TLSSocket | undefined;

  constructor(options: SyslogConnectionOptions) {
    this.#options = options;
    const { host, lookup, port, timeoutMs } = options;
    const autoSelectFamilyAttemptTimeout = addressTimeoutMs(timeoutMs);
    this.#socket = connectTcp({ host, port, lookup, autoSelectFamilyAttemptTimeout });
    this.#socket.on("error", (error) => this.#finish(error));
    // Padding and session tickets emit no event of TLS.
    this.#watch = setInterval(() => this.#check(), WATCH_INTERVAL_MS);
    this.#watch.unref();
  }

  /** Writes the only bytes of the connection. Resolves to undefined once the server has read them. */
  send(bytes: Uint8Array): Promise<ConnectionEnd | undefined> {
    this.#socket.once("connect", () => {
      const secure = this.#begin();
      secure.write(bytes, () => setTimeout(() => secure.end(), SETTLE_MS));
    });
    return this.#end.promise;
  }

  destroy(): void {
    this.#finish("connection");
  }

  /** Begins TLS, once TCP is connected: see counting-agent.ts. */
  #begin(): TLSSocket {
    const { host, secureContext } = this.#options;
    const secure = connectTls({
      socket: this.#socket,
      secureContext,
      // An IP address is not a valid server name (RFC 6066), but the certificate must have it.
      host,
      servername: isIP(host) === 0 ? host : "",
    });
    this.#secure = secure;
    secure.on("error", (error) => this.#finish(error));
    secure.on("end", () => this.#finish(secure.writableEnded ? undefined : "connection"));
    secure.on("close", () => this.#finish("connection"));
    secure.on("data", () => this.#check());
    return secure;
  }

  #check(): void {
    if (this.#socket.bytesRead > MAX_ARRIVED_BYTES) this.#finish("invalid_response");
  }

  #finish(end: ConnectionEnd | undefined): void {
    clearInterval(this.#watch);
    this.#end.resolve(end);
    this.#secure?.destroy();
    this.#socket.destroy();
  }
}
