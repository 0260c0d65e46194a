// The HTTP/2 server below an RPC server: with mutual TLS, or in plaintext. It knows which service is at the
// other end of each connection. Called by server.ts. Without a valid certificate no client gets as far as a
// request.

import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2Session,
  type ServerHttp2Session,
  type ServerOptions,
} from "node:http2";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { BoundedLog, type Logger } from "@annals/chassis";
import { type Caller, CALLERS } from "./access.ts";
import type { Certificates, RpcTls } from "./certificates.ts";
import { serviceOf } from "./peer.ts";

export interface Listener {
  readonly server: Http2Server | Http2SecureServer;
  /**
   * The service at the other end of a connection; undefined for a certificate of no caller, and in plaintext.
   */
  readonly callerOf: (session: Http2Session | undefined) => Caller | undefined;
  /** Ends connections that have not finished their TLS handshake. Call it when the others are closed. */
  readonly close: () => void;
}

/** For a TLS handshake; Node's default is two minutes. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
export function createListener(
  tls: RpcTls,
  options: ServerOptions,
  log: Pick<Logger, "info" | "warn">,
): Listener {
  if (tls !== "plaintext") return createSecureListener(tls, options, log);
  return { server: createServer(options), callerOf: () => undefined, close: () => {} };
}

function createSecureListener(
  tls: Certificates,
  options: ServerOptions,
  log: Pick<Logger, "info" | "warn">,
): Listener {
  const server = createSecureServer({
    ...options,
    ...tls.serverOptions,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  });
  const callers = new WeakMap<Http2Session, Caller>();
  server.on("session", (session: ServerHttp2Session) => {
    const caller = callerAt(session);
    if (caller !== undefined) callers.set(session, caller);
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const bounded = new BoundedLog(log, { linesPerS: 1 });
  server.on("tlsClientError", (err: NodeJS.ErrnoException) =>
    bounded.write("warn", { code: err.code }, "a TLS handshake of an rpc client failed"),
  );
  const stopWatching = tls.onChange((changed) => server.setSecureContext(changed));
  return {
    server,
    callerOf: (session) => (session === undefined ? undefined : callers.get(session)),
    close: () => {
      stopWatching();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function callerAt({ socket }: ServerHttp2Session): Caller | undefined {
  // TLS has verified it: rejectUnauthorized ends the connection otherwise, before there is a session.
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const service = serviceOf(socket.getPeerCertificate());
  return CALLERS.find((caller) => caller === service);
}
