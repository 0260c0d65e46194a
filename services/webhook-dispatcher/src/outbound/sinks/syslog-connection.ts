// A connection to a syslog server over TLS. Called by syslog-receiver.ts. It must never be used after its
// server has closed its side, nor after an idle time in which something on the path may have dropped it:
// what is written then is lost without an error.

import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls";

/** Shorter than the idle time after which common load balancers drop a connection. */
const MAX_IDLE_MS = 50_000;
/** Bytes that may arrive: those of handshakes. A server of syslog sends nothing else. */
const MAX_ARRIVED_BYTES = 128 * 1024;
const WATCH_INTERVAL_MS = 250;

/** Why a connection is of no use: an error of Node, or one of these. */
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
}

export class SyslogConnection {
  /** Resolves when the connection ends, however it does. Until then it is pending. */
  readonly ended: Promise<ConnectionEnd>;
  readonly #socket: Socket;
  readonly #secure: TLSSocket;
  readonly #end = Promise.withResolvers<ConnectionEnd>();
  readonly #watch: NodeJS.Timeout;
  #idle: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor({ host, port, lookup, secureContext }: SyslogConnectionOptions) {
    this.ended = this.#end.promise;
    this.#socket = connectTcp({ host, port, lookup });
    this.#secure = connectTls({
      socket: this.#socket,
      secureContext,
      // An IP address is not a valid server name (RFC 6066), but the certificate must have it.
      host,
      servername: isIP(host) === 0 ? host : "",
    });
    const fail = (error: NodeJS.ErrnoException): void => this.#finish(error);
    this.#socket.on("error", fail);
    this.#secure.on("error", fail);
    this.#secure.on("end", () => this.#finish("connection"));
    this.#secure.on("close", () => this.#finish("connection"));
    const check = (): void => {
      if (this.#socket.bytesRead > MAX_ARRIVED_BYTES) this.#finish("invalid_response");
    };
    this.#secure.on("data", check);
    // Padding and session tickets emit no such event.
    this.#watch = setInterval(check, WATCH_INTERVAL_MS);
    this.#watch.unref();
  }

  /** Whether nothing is known that speaks against its use. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves when the bytes are with the operating system; never if the connection ends before. */
  write(bytes: Uint8Array): Promise<void> {
    clearTimeout(this.#idle);
    return new Promise((resolve) => {
      this.#secure.write(bytes, (error) => {
        if (error) return;
        this.#idle = setTimeout(() => this.close(), MAX_IDLE_MS);
        this.#idle.unref();
        resolve();
      });
    });
  }

  /** Ends it in order: what is written still arrives. */
  close(): void {
    this.#isOpen = false;
    this.#secure.destroySoon();
  }

  destroy(): void {
    this.#finish("connection");
  }

  #finish(end: ConnectionEnd): void {
    this.#isOpen = false;
    clearTimeout(this.#idle);
    clearInterval(this.#watch);
    this.#end.resolve(end);
    this.#secure.destroy();
    this.#socket.destroy();
  }
}
