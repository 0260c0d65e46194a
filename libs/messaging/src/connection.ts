// The connection to NATS of one process: made, kept and made again for ever, however long NATS is away.
// Called by every serve.ts that publishes or consumes notices. It must never keep a service from starting
// or serving: what cannot be told now is found by the consumers' sweeps.

import type { Logger } from "@annals/chassis";
import { setTimeout as pause } from "node:timers/promises";
import { connect, type ConnectionOptions, type NatsConnection } from "nats";
import { ensureStream } from "./stream.ts";

export interface MessagingOptions {
  /**
   * `nats://[user:password@ or token@]host:port`, or `tls://`. Undefined: never connected, nothing
   * published or consumed.
   */
  readonly url: string | undefined;
  /** Shown in the server's list of connections. */
  readonly name: string;
  readonly log: Logger;
}

/** An attempt to connect that takes longer has failed. */
const CONNECT_TIMEOUT_MS = 2_000;
/** Between attempts. */
const RETRY_MS = 500;
/** A server that leaves two of these unanswered is gone. */
const PING_INTERVAL_MS = 10_000;
const MAX_PINGS_OUT = 2;

/** Begins to connect. Resolves at once, also when NATS is away. */
export async function connectMessaging(options: MessagingOptions): Promise<Messaging> {
  return new Messaging(options);
}

/** What {@link connectMessaging} gives; its members are for publish.ts and consume.ts, `close` aside. */
export class Messaging {
  readonly #options: MessagingOptions;
  readonly #closing = new AbortController();
  readonly #loop: Promise<void>;
  #connection: NatsConnection | undefined;
  #next = Promise.withResolvers<NatsConnection>();
  /** Whether the outage that lasts is in the log already. */
  #outageLogged = false;

  /** Called by {@link connectMessaging}, which is what others call. */
  constructor(options: MessagingOptions) {
    this.#options = options;
    this.#loop = options.url === undefined ? Promise.resolve() : this.#keepConnected(options.url);
  }

  /** Whether there is a NATS to speak of. */
  get isConfigured(): boolean {
    return this.#options.url !== undefined;
  }

  /** The connection, where there is one now; the stream exists on it. */
  get connection(): NatsConnection | undefined {
    return this.#connection;
  }

  /** Resolves to the connection as soon as there is one, to undefined when `signal` is aborted before. */
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

  /** Lets go of NATS; close what publishes and consumes before. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection?.close();
    await this.#loop;
  }

  async #keepConnected(url: string): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#connectOnce(connectionOptions(url, this.#options.name));
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
      await ensureStream(connection, this.#options.log);
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
    this.#options.log.warn({ err: error }, "NATS cannot be reached: webhooks come late");
  }
}

/**
 * The client's own reconnecting is off: a new connection has one way to begin, and each begins with the
 * stream.
 */
function connectionOptions(url: string, name: string): ConnectionOptions {
  const { protocol, host, username, password } = new URL(url);
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  return {
    servers: host,
    name,
    reconnect: false,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: MAX_PINGS_OUT,
    ...(protocol === "tls:" && { tls: {} }),
    ...(secret !== "" && { user, pass: secret }),
    ...(secret === "" && user !== "" && { token: user }),
  };
}
