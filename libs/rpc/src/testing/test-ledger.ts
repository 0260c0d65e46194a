// A ledger of a few lines behind a real RPC server, and a client of it, which is the gateway. Imported by
// tests only.

import { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { type Logger, pino } from "pino";
import type { Access } from "../access.ts";
import { serverErrors } from "../interceptors/errors.ts";
import { connectRpc, type RpcClient, type RpcClientOptions } from "../client.ts";
import { type RpcServer, type RpcServerOptions, startRpcServer } from "../server.ts";
import { GATEWAY_TLS, LEDGER_TLS } from "./test-tls.ts";

export type LedgerHandlers = Partial<ServiceImpl<typeof LedgerService>>;

/** Every method is the gateway's. */
const GATEWAY_MAY = Object.fromEntries(
  LedgerService.methods.map(({ localName }) => [localName, { gateway: "itself" }]),
) as Access<typeof LedgerService>;

export const GRACE_MS = 2_000;

/** Answers GetEvent with the id it was asked for. */
export const echo: LedgerHandlers = {
  getEvent: ({ id }) => ({ event: { id } }),
};

/** Handlers that count their calls, and answer when the gate is opened. */
export function gated() {
  const gate = Promise.withResolvers<void>();
  const counts = { begun: 0 };
  const getEvent = async ({ id }: { id: string }) => {
    counts.begun += 1;
    await gate.promise;
    return { event: { id } };
  };
  return { counts, open: () => gate.resolve(), handlers: { getEvent } };
}

/** Servers and clients of a test. `closeAll`, for `afterEach`, closes them in reverse order. */
export class Opened {
  readonly #close: (() => Promise<void> | void)[] = [];

  async server(
    handlers: LedgerHandlers,
    options: Partial<RpcServerOptions<typeof LedgerService>> = {},
  ): Promise<RpcServer> {
    const log = options.log ?? pino({ level: "silent" });
    const server = await startRpcServer({
      host: "127.0.0.1",
      port: 0,
      routes: (router) => router.service(LedgerService, handlers),
      service: LedgerService,
      tls: LEDGER_TLS,
      access: GATEWAY_MAY,
      refused: { inc: () => {} },
      interceptors: [serverErrors(log)],
      isReady: () => true,
      drainDelayMs: 0,
      ...options,
      log,
    });
    this.#close.push(() => server.close({ graceMs: 0 }));
    return server;
  }

  client(
    address: string,
    options: Partial<RpcClientOptions<typeof LedgerService>> = {},
  ): RpcClient<typeof LedgerService> {
    const client = connectRpc({
      address,
      service: LedgerService,
      peer: "ledger",
      stopping: undefined,
      tls: GATEWAY_TLS,
      ...options,
    });
    this.#close.push(() => client.close());
    return client;
  }

  add(close: () => Promise<void> | void): void {
    this.#close.push(close);
  }

  async closeAll(): Promise<void> {
    for (let close = this.#close.pop(); close !== undefined; close = this.#close.pop())
      await close();
  }
}

/** One log line of the server. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A logger that collects its lines. */
export function collectingLog(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log: Logger = pino(
    { level: "debug" },
    { write: (line) => void lines.push(JSON.parse(line) as LogLine) },
  );
  return { log, lines };
}
