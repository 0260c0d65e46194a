// Sends batches as syslog over TLS (RFC 5424, RFC 5425), on one connection that is kept. Called by
// open-receiver.ts. Syslog acknowledges nothing: a batch is accepted when it is written and the connection
// has not failed, so what a receiver loses after that is found by the numbers of the records alone.

import { setTimeout as wait } from "node:timers/promises";
import type { SyslogConfig } from "../../domain/sink.ts";
import { hostOf } from "../address-guard.ts";
import { outcomeOf } from "../exchange.ts";
import { CollectedBatch } from "./collected-batch.ts";
import { failureSentence } from "./failure-sentence.ts";
import { BATCH_TIMEOUT_MS, type SinkDeps } from "./sink-http.ts";
import type { SinkReceiver, SinkResult } from "./sink-receiver.ts";
import { type ConnectionEnd, SyslogConnection } from "./syslog-connection.ts";
import { syslogFrame } from "./syslog-message.ts";

/**
 * Time that the connection must last after a batch. The first time of a connection is longer: in TLS 1.3 a
 * server refuses a client after the client has finished its handshake, and may have sent.
 */
const FIRST_SETTLE_MS = 1_000;
const SETTLE_MS = 100;

export function syslogReceiver(config: SyslogConfig, deps: SinkDeps): SinkReceiver {
  const receiver = new SyslogServer(config, deps);
  return {
    open: ({ accountId }) =>
      new CollectedBatch(deps.log, (records, signal) => {
        const bytes = Buffer.concat(records.map((record) => syslogFrame(accountId, record)));
        return receiver.deliver(accountId, bytes, signal);
      }),
    close: () => receiver.close(),
  };
}

class SyslogServer {
  readonly #config: SyslogConfig;
  readonly #deps: SinkDeps;
  #connection: SyslogConnection | undefined;

  constructor(config: SyslogConfig, deps: SinkDeps) {
    this.#config = config;
    this.#deps = deps;
  }

  async deliver(accountId: string, bytes: Buffer, signal: AbortSignal): Promise<SinkResult> {
    const { timeoutMs = BATCH_TIMEOUT_MS } = this.#deps;
    const end = Promise.withResolvers<ConnectionEnd>();
    const timer = setTimeout(() => end.resolve("timeout"), timeoutMs);
    const abandon = (): void => end.resolve("abandoned");
    signal.addEventListener("abort", abandon, { once: true });
    if (signal.aborted) abandon();
    try {
      const ended = await Promise.race([this.#write(accountId, bytes), end.promise]);
      if (ended === undefined) return { outcome: "accepted" };
      this.#connection?.destroy();
      return this.#failure(ended, timeoutMs);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abandon);
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Resolves to why it failed, or to undefined. */
  async #write(accountId: string, bytes: Buffer): Promise<ConnectionEnd | undefined> {
    const kept = this.#connection?.isOpen === true ? this.#connection : undefined;
    const connection = kept ?? this.#connect(accountId);
    if (connection === undefined) return "address";
    this.#connection = connection;
    const settled = connection
      .write(bytes)
      .then(() => wait(kept ? SETTLE_MS : FIRST_SETTLE_MS, undefined));
    return Promise.race([settled, connection.ended]);
  }

  #connect(accountId: string): SyslogConnection | undefined {
    const { guard, secureContext } = this.#deps;
    const host = hostOf({ hostname: this.#config.host } as URL);
    if (!guard.mayConnect(host)) return undefined;
    const lookup = guard.lookupFor(accountId);
    return new SyslogConnection({ host, port: this.#config.port, lookup, secureContext });
  }

  #failure(ended: ConnectionEnd, timeoutMs: number): SinkResult {
    const outcome = typeof ended === "string" ? ended : outcomeOf(ended);
    const errorCode = typeof ended === "string" ? undefined : ended.code;
    const error =
      ended === "connection"
        ? "The receiver closed the connection."
        : failureSentence(outcome, { errorCode, timeoutMs });
    return { outcome, error };
  }
}
