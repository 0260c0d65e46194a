// The RPC server of every backend: gRPC, Connect and JSON over HTTP/2 with mutual TLS from one handler, with
// the standard health service, a maximum connection age, and a drain. Called by serve.ts. No input of a
// client may end the process or hold its resources without bound, and no caller gets more than its table
// grants.

import { once } from "node:events";
import {
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { DescService } from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createConnectRouter,
  createContextValues,
  type Interceptor,
} from "@connectrpc/connect";
import type { Counter, Logger } from "@annals/chassis";
import { type Access, callerKey } from "./access.ts";
import { endInTime, isCancellable } from "./cancellable.ts";
import type { RpcTls } from "./certificates.ts";
import { connectListener } from "./connect-listener.ts";
import { Connections } from "./connections.ts";
import { serveUnaryCalls } from "./fast-path/unary-calls.ts";
import { unaryMethods } from "./fast-path/unary-methods.ts";
import { healthRoutes } from "./health.ts";
import type { AdmissionVerifier } from "./admission/statement.ts";
import { requireAccess } from "./interceptors/require-access.ts";
import { createListener, type Listener } from "./secure-server.ts";

export interface RpcServerOptions<S extends DescService = DescService> {
  /** The address to listen on, for example `0.0.0.0` or `127.0.0.1`. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly routes: (router: ConnectRouter) => void;
  /** What `routes` serves. */
  readonly service: S;
  /** In plaintext no caller is known: every call is allowed that has an admission if it needs one. */
  readonly tls: RpcTls;
  /** Who may call what of `service`. */
  readonly access: Access<S>;
  readonly refused: Pick<Counter<"caller" | "rpc_method">, "inc">;
  /** Calls for a client need an admission if this is given. */
  readonly admissions?: AdmissionVerifier;
  /** Outermost first; see serverInterceptors. */
  readonly interceptors?: readonly Interceptor[];
  readonly log: Logger;
  /** What the health service reports. */
  readonly isReady: () => boolean;
  /** A larger message is refused with RESOURCE_EXHAUSTED. */
  readonly maxMessageBytes?: number;
  /** A call with a longer timeout is refused with INVALID_ARGUMENT. */
  readonly maxTimeoutMs?: number;
  /** A connection gets a GOAWAY after this time, plus or minus a tenth. */
  readonly maxConnectionAgeMs?: number;
  /** Open calls may take this long after the GOAWAY of an aged connection. */
  readonly maxConnectionAgeGraceMs?: number;
  /** While clients are connected, `close` keeps serving this long before it sends GOAWAY. */
  readonly drainDelayMs?: number;
  /** 0 to 1, for the jitter of the connection age. */
  readonly random?: () => number;
}

export interface RpcServer {
  readonly port: number;
  /** `host:port`, as bound. */
  readonly address: string;
  /**
   * Health says NOT_SERVING. After the drain delay every connection gets a GOAWAY, open calls finish within
   * the grace period, then connections are closed.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_TIMEOUT_MS = 60 * 60 * 1_000;
/** Age at which a connection is drained (GOAWAY), so that a replaced certificate is soon used everywhere. */
const MAX_CONNECTION_AGE_MS = 5 * 60 * 1_000;
const MAX_CONNECTION_AGE_GRACE_MS = 10 * 60 * 1_000;
/** Together with the drain delay, it is shorter than the time that run.ts gives each part to close. */
const DRAIN_GRACE_MS = 8_000;
/**
 * A client that has just lost another replica needs a moment to reconnect to it. Without the delay it would
 * have no server at all.
 */
const DRAIN_DELAY_MS = 1_000;

/** Concurrent calls on one connection; a client queues what exceeds them. */
const MAX_CONCURRENT_CALLS = 1_000;
/** Flow control windows. With the protocol's 64 KiB a message of 4 MB takes a third longer. */
export const WINDOW_BYTES = 1024 * 1024;
/**
 * Memory of one connection. Node's default of 10 MB refuses calls while large responses are queued.
 */
const MAX_SESSION_MEMORY_MB = 256;
/** How often to check whether the response to a partly read request has been sent. */
const RESPONSE_POLL_MS = 5;
/**
 * Calls that a client resets: those at their deadline. Node's default (1,000, then 33 a second) would
 * disconnect a gateway under load.
 */
const RESET_BURST = 20_000;
const RESETS_PER_S = 5_000;

/** Listens. An error names the address. */
export async function startRpcServer<S extends DescService>(
  options: RpcServerOptions<S>,
): Promise<RpcServer> {
  const { log } = options;
  const draining = new AbortController();
  const connections = new Connections({
    maxAgeMs: options.maxConnectionAgeMs ?? MAX_CONNECTION_AGE_MS,
    maxAgeGraceMs: options.maxConnectionAgeGraceMs ?? MAX_CONNECTION_AGE_GRACE_MS,
    random: options.random ?? Math.random,
    log,
  });
  const listener = createRpcListener(options, draining.signal);
  const { server } = listener;
  server.on("session", (session: ServerHttp2Session) => {
    session.setLocalWindowSize(WINDOW_BYTES);
    connections.add(session);
  });
  await listen(server, options);
  server.on("error", (err) => log.error({ err }, "rpc server failed"));
  const { address, port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    draining.abort();
    await connections.noneOpen(options.drainDelayMs ?? DRAIN_DELAY_MS);
    const unbound = new Promise<void>((resolve) => server.close(() => resolve()));
    await connections.drain(graceMs);
    listener.close();
    await unbound;
  };
  return {
    port,
    address: address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`,
    close: ({ graceMs = DRAIN_GRACE_MS } = {}) => (closing ??= close(graceMs)),
  };
}

function createRpcListener<S extends DescService>(
  options: RpcServerOptions<S>,
  draining: AbortSignal,
): Listener {
  const { maxMessageBytes = MAX_MESSAGE_BYTES, maxTimeoutMs = MAX_TIMEOUT_MS } = options;
  const interceptors = [...(options.interceptors ?? [])];
  // Innermost: a refusal is traced, counted and sent like any other status.
  if (options.tls !== "plaintext" || options.admissions) interceptors.push(requireAccess(options));
  const routes = registerOnce((router) => {
    healthRoutes(router, {
      services: [options.service.typeName],
      isServing: () => !draining.aborted && options.isReady(),
      draining,
    });
    options.routes(router);
  });
  const listener = createListener(
    options.tls,
    {
      settings: { maxConcurrentStreams: MAX_CONCURRENT_CALLS, initialWindowSize: WINDOW_BYTES },
      maxSessionMemory: MAX_SESSION_MEMORY_MB,
      streamResetBurst: RESET_BURST,
      streamResetRate: RESETS_PER_S,
    },
    options.log,
  );
  const contextValues = ({ session }: ServerHttp2Stream) =>
    createContextValues().set(callerKey, listener.callerOf(session));
  const serveUnary = serveUnaryCalls({
    methods: unaryMethods(routes, interceptors),
    maxMessageBytes,
    maxTimeoutMs,
    contextValues,
    closeAfterResponse,
  });
  const router = createConnectRouter({
    interceptors,
    readMaxBytes: maxMessageBytes,
    maxTimeoutMs,
    // Between services of one cluster compression costs more than it saves.
    acceptCompression: [],
  });
  routes(router);
  const connect = createServer(
    connectListener(router, { contextValues, maxMessageBytes, log: options.log }),
  );
  listener.server.on(
    "stream",
    (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, ...rest) => {
      if (isCancellable(headers)) endInTime(stream);
      if (serveUnary(stream, headers)) return;
      if (!isCancellable(headers)) closeAfterResponse(stream);
      // A server that never listens: it creates the request and response objects that the adapter takes.
      connect.emit("stream", stream, headers, ...rest);
    },
  );
  return listener;
}

/** Runs `routes` once, for any number of routers: a handler's own state must not exist twice. */
function registerOnce(routes: (router: ConnectRouter) => void): (router: ConnectRouter) => void {
  const registrations: ((router: ConnectRouter) => void)[] = [];
  const recorder: ConnectRouter = {
    handlers: [],
    service(...service) {
      registrations.push((router) => router.service(...service));
      return recorder;
    },
    rpc(...rpc) {
      registrations.push((router) => router.rpc(...rpc));
      return recorder;
    },
  };
  routes(recorder);
  return (router) => registrations.forEach((register) => register(router));
}

/**
 * Closes a stream once its whole response is sent, also when the request was not read to its end (RFC 9113,
 * 8.1). Otherwise the client would wait to send the rest, and the stream would occupy the connection and
 * block its drain permanently.
 */
function closeAfterResponse(stream: ServerHttp2Stream): void {
  const closeWhenSent = (): void => {
    if (stream.closed || stream.destroyed || stream.readableEnded) return;
    if (stream.state.localClose !== 1) {
      setTimeout(closeWhenSent, RESPONSE_POLL_MS).unref();
      return;
    }
    stream.close(constants.NGHTTP2_NO_ERROR);
    // A closed stream with unread data in its buffer would stay in its session.
    stream.destroy();
  };
  stream.once("finish", () => setImmediate(closeWhenSent));
}

async function listen(
  server: Listener["server"],
  { host, port }: Pick<RpcServerOptions, "host" | "port">,
): Promise<void> {
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
