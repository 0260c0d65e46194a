// The RPC server of every backend: gRPC, Connect and JSON over plain HTTP/2 from one handler, with the
// standard health service, connections that age, and a drain. Called by serve.ts. What a client sends must
// never end the process, nor hold it without bound.

import { once } from "node:events";
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { ConnectRouter, Interceptor } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Logger } from "@annals/chassis";
import { carryCalls } from "./fast-path/carry-calls-server.ts";
import { answerUnaryCalls } from "./fast-path/grpc-unary.ts";
import { healthRoutes } from "./health.ts";
import { RpcSessions } from "./connections.ts";
import { unaryMethods } from "./fast-path/unary-methods.ts";

export interface RpcServerOptions {
  /** The address to listen on, for example `0.0.0.0` or `127.0.0.1`. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly routes: (router: ConnectRouter) => void;
  /** Full names of the services, for health: `LedgerService.typeName`. */
  readonly services: readonly string[];
  /** Outermost first; see serverInterceptors. */
  readonly interceptors?: readonly Interceptor[];
  readonly log: Logger;
  /** What health answers. */
  readonly isReady: () => boolean;
  /** A larger message is refused with RESOURCE_EXHAUSTED. */
  readonly maxMessageBytes?: number;
  /** A call with a longer timeout is refused with INVALID_ARGUMENT. */
  readonly maxTimeoutMs?: number;
  /** A connection is retired after this time, give or take a tenth. */
  readonly maxConnectionAgeMs?: number;
  /** Calls on a connection retired by age may take this long. */
  readonly maxConnectionAgeGraceMs?: number;
  /** Where callers are connected, `close` serves on for so long before it tells them to go. */
  readonly leaveMs?: number;
  /** 0 to 1, for the jitter of the age. */
  readonly random?: () => number;
}

export interface RpcServer {
  readonly port: number;
  /** `host:port`, as bound. */
  readonly address: string;
  /**
   * Health says NOT_SERVING, and after the time to leave connections are told to go, open calls finish
   * within the grace, then all is cut.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_TIMEOUT_MS = 60 * 60 * 1_000;
const MAX_CONNECTION_AGE_MS = 5 * 60 * 1_000;
const MAX_CONNECTION_AGE_GRACE_MS = 10 * 60 * 1_000;
/** With the time to leave it is shorter than the time that run.ts gives each part. */
const DRAIN_GRACE_MS = 8_000;
/**
 * Where callers are connected, all is served for this long after health says NOT_SERVING: a caller that has
 * just lost another server needs a moment to have that one back, and would have none at all.
 */
const LEAVE_MS = 1_000;

/** Calls at a time on one connection, and on one stream of CarryCalls; a client waits for a free one. */
const MAX_CONCURRENT_CALLS = 1_000;
/** Flow control windows. With the protocol's 64 KiB a message of 4 MB takes a third longer. */
export const WINDOW_BYTES = 1024 * 1024;
/**
 * What one connection may hold, in Node's unit. Node's default of 10 MB refuses calls while large answers
 * wait.
 */
const MAX_SESSION_MEMORY_MB = 256;
/** How often to look whether an answer is out whose request was not read to its end. */
const ANSWER_POLL_MS = 5;
/**
 * Cancelled calls: Node's 1,000 and then 33 a second would cut a gateway off whose clients give up under
 * load.
 */
const CANCEL_BURST = 20_000;
const CANCELS_PER_S = 5_000;

/** Listens, or fails with a sentence that names the address. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { log } = options;
  const draining = new AbortController();
  const sessions = new RpcSessions({
    maxAgeMs: options.maxConnectionAgeMs ?? MAX_CONNECTION_AGE_MS,
    maxAgeGraceMs: options.maxConnectionAgeGraceMs ?? MAX_CONNECTION_AGE_GRACE_MS,
    random: options.random ?? Math.random,
    log,
  });
  const server = createHttp2Server(options, sessions, draining.signal);
  server.on("session", (session: ServerHttp2Session) => {
    session.setLocalWindowSize(WINDOW_BYTES);
    sessions.add(session);
  });
  await listen(server, options);
  server.on("error", (err) => log.error({ err }, "rpc server failed"));
  const { address, port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    draining.abort();
    await sessions.noneOpen(options.leaveMs ?? LEAVE_MS);
    const unbound = new Promise<void>((resolve) => server.close(() => resolve()));
    await sessions.drain(graceMs);
    await unbound;
  };
  return {
    port,
    address: address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`,
    close: ({ graceMs = DRAIN_GRACE_MS } = {}) => (closing ??= close(graceMs)),
  };
}

function createHttp2Server(
  options: RpcServerOptions,
  sessions: RpcSessions,
  draining: AbortSignal,
): Http2Server {
  const { interceptors = [], maxMessageBytes = MAX_MESSAGE_BYTES } = options;
  const maxTimeoutMs = options.maxTimeoutMs ?? MAX_TIMEOUT_MS;
  const routes = askedOnce((router) => {
    healthRoutes(router, {
      services: options.services,
      isServing: () => !draining.aborted && options.isReady(),
      draining,
    });
    options.routes(router);
  });
  const common = {
    methods: unaryMethods(routes, interceptors),
    maxMessageBytes,
    maxTimeoutMs,
    endEarly: endWithAnswer,
  };
  const answer = answerUnaryCalls(common);
  const carry = carryCalls({
    ...common,
    maxCalls: MAX_CONCURRENT_CALLS,
    retiring: (session) => session && sessions.retiring(session),
  });
  const others = createServer(
    connectNodeAdapter({
      routes,
      interceptors: [...interceptors],
      readMaxBytes: maxMessageBytes,
      maxTimeoutMs,
      // Between our own processes compression costs more than it saves.
      acceptCompression: [],
    }),
  );
  const server = createServer({
    settings: { maxConcurrentStreams: MAX_CONCURRENT_CALLS, initialWindowSize: WINDOW_BYTES },
    maxSessionMemory: MAX_SESSION_MEMORY_MB,
    streamResetBurst: CANCEL_BURST,
    streamResetRate: CANCELS_PER_S,
  });
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, ...rest) => {
    if (answer(stream, headers) || carry(stream, headers)) return;
    endWithAnswer(stream);
    // A server that never listens: it makes the request and the response that the adapter takes.
    others.emit("stream", stream, headers, ...rest);
  });
  return server;
}

/** The same routes for any number of routers: what a handler keeps for all its calls is there once. */
function askedOnce(routes: (router: ConnectRouter) => void): (router: ConnectRouter) => void {
  const said: ((router: ConnectRouter) => void)[] = [];
  const listening: ConnectRouter = {
    handlers: [],
    service(...of) {
      said.push((router) => router.service(...of));
      return listening;
    },
    rpc(...of) {
      said.push((router) => router.rpc(...of));
      return listening;
    },
  };
  routes(listening);
  return (router) => said.forEach((say) => say(router));
}

/**
 * A refusal may go out before the request is read to its end. The client then waits to send the
 * rest, and the stream would take a place on the connection and hold up its end for ever: it is
 * closed, as RFC 9113, 8.1 has it, once the whole answer is out.
 */
function endWithAnswer(stream: ServerHttp2Stream): void {
  const closeWhenOut = (): void => {
    if (stream.closed || stream.destroyed || stream.readableEnded) return;
    if (stream.state.localClose !== 1) {
      setTimeout(closeWhenOut, ANSWER_POLL_MS).unref();
      return;
    }
    stream.close(constants.NGHTTP2_NO_ERROR);
    // While something that was read lies in its buffer, a closed stream stays with its session.
    stream.destroy();
  };
  stream.once("finish", () => setImmediate(closeWhenOut));
}

async function listen(server: Http2Server, { host, port }: RpcServerOptions): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The RPC server cannot listen on ${host}, port ${port}: ${reason}`, {
      cause: error,
    });
  }
}
