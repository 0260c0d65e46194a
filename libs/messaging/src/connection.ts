// The connection of one process to NATS: opens it, and opens a new one whenever it is lost, however long NATS
// is unreachable. Called by every serve.ts that publishes or consumes notices. It must never keep a service
// from starting or serving: the consumers' sweeps recover notices that cannot be sent.

import type { Logger } from "@annals/chassis";
import { setTimeout as pause } from "node:timers/promises";
import { connect, type ConnectionOptions, type NatsConnection, type TlsOptions } from "nats";
import { ensureStream } from "./stream.ts";

export interface MessagingOptions {
  /**
   * `nats://[user:password@ or token@]host:port`, or `tls://`. Undefined: nothing is published or consumed.
   */
  readonly url: string | undefined;
  /** PEM file of the authority of a `tls://` server. It is read for each connection. */
  readonly caFile?: string | undefined;
  /** Shown in the server's list of connections. */
  readonly name: string;
  readonly log: Logger;
}

/** An attempt to connect that takes longer has failed. */
const CONNECT_TIMEOUT_MS = 2_000;
/** Between attempts. */
const RETRY_MS = 500;
/** Keepalive: a server that does not respond to two of these is gone. */
const PING_INTERVAL_MS = 10_000;
const MAX_PINGS_OUT = 2;

/** Begins to connect. Resolves at once, also while NATS is unreachable. */
export async function connectMessaging(options: MessagingOptions): Promise<Messaging> {
  return new Messaging(options);
}

/** The result of {@link connectMessaging}; all members but `close` are for publish.ts and consume.ts. */
export class Messaging {
  readonly #options: MessagingOptions;
  readonly #closing = new AbortController();
  readonly #loop: Promise<void>;
  #connection: NatsConnection | undefined;
  #next = Promise.withResolvers<NatsConnection>();
  /** Whether the present outage is in the log already. */
  #outageLogged = false;

  /** Called by {@link connectMessaging} only. */
  constructor(options: MessagingOptions) {
    this.#options = options;
    this.#loop = options.url === undefined ? Promise.resolve() : this.#keepConnected(options.url);
  }

  /** Whether NATS is configured. */
  get isConfigured(): boolean {
    return this.#options.url !== undefined;
  }

  /** The connection, while there is one; the stream exists on it. */
  get connection(): NatsConnection | undefined {
    return this.#connection;
  }

  /** Resolves to the connection as soon as there is one, or to undefined when `signal` is aborted first. */
  async connected(signal: AbortSignal): Promise<NatsConnection | undefined> {
    if (signal.aborted) return undefined;
    if (this.#connection) return this.#connection;
    const aborted = Promise.withResolvers<undefined>();
    const onAbort = (): void => aborted.resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([this.#next.promise, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Closes the connection. Close the publisher and the consumer first. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection?.close();
    await this.#loop;
  }

  /**
   * Not a loop of the chassis: a run lasts as long as its connection, and an outage is one log line, not one
   * for each attempt to connect.
   */
  async #keepConnected(url: string): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#connectOnce(connectionOptions(url, this.#options));
      } catch (error) {
        if (!signal.aborted) this.#logOutage(error);
      }
      await pause(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Connects and resolves when that connection has ended. */
  async #connectOnce(options: ConnectionOptions): Promise<void> {
    const connection = await connect(options);
    try {
      if (this.#closing.signal.aborted) return;
      await ensureStream(connection, "made", this.#options.log);
      this.#connection = connection;
      this.#outageLogged = false;
      this.#options.log.info("connected to NATS");
      this.#next.resolve(connection);
      const error = await connection.closed();
      if (!this.#closing.signal.aborted) this.#logOutage(error);
    } finally {
      if (this.#connection) this.#next = Promise.withResolvers();
      this.#connection = undefined;
      await connection.close();
    }
  }

  #logOutage(error: unknown): void {
    if (this.#outageLogged) return;
    this.#outageLogged = true;
    this.#options.log.warn({ err: error }, "NATS is unreachable: webhooks are delayed");
  }
}

/** The client's own reconnecting is off, so that every new connection begins by ensuring the stream. */
function connectionOptions(url: string, { name, caFile }: MessagingOptions): ConnectionOptions {
  const { protocol, host, hostname, username, password } = new URL(url);
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  return {
    servers: host,
    name,
    reconnect: false,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: MAX_PINGS_OUT,
    // These make the client refuse a server without TLS, before it sends the password.
    ...(protocol === "tls:" && { tls: tlsOptions(hostname, caFile) }),
    // Responses to this user only: a server can then keep its users from reading each other's.
    ...(secret !== "" && { user, pass: secret, inboxPrefix: inboxPrefix(user) }),
    ...(secret === "" && user !== "" && { token: user }),
  };
}

/** `_INBOX.ledger`; the default if the name cannot be part of a subject. */
function inboxPrefix(user: string): string {
  return /^[\w-]+$/.test(user) ? `_INBOX.${user}` : "_INBOX";
}

/** The client names no host for an address, and would then check the certificate for `localhost`. */
function tlsOptions(host: string, caFile: string | undefined): TlsOptions & { host: string } {
  return caFile === undefined ? { host } : { host, caFile };
}
