// The admin API: accounts, keys and plans for programs of the operator, on a port of its own, beside the
// interface. Built by serve.ts where ANNALS_ADMIN_API_TOKEN_FILE is set. Every request needs the token, and
// learns nothing before that: not even which paths there are. It must never be reachable by clients.

import { BoundedLog, type Counter, type Logger } from "@annals/chassis";
import { newId } from "@annals/contract";
import { AnnalsError, invalid, unavailable } from "@annals/errors";
import type { RpcTls } from "@annals/rpc";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { errorAnswer } from "./errors.ts";
import { Members, readBody } from "./body.ts";
import { ADMIN_ROUTES, type AdminAnswer, type AdminRoute, type Deps } from "./routes.ts";
import type { AdminTokens } from "./tokens.ts";

export interface AdminApiOptions {
  readonly address: { readonly host: string; readonly port: number };
  readonly deps: Deps;
  readonly log: Pick<Logger, "error" | "info" | "warn">;
  readonly requests: Pick<Counter<"route" | "outcome">, "inc">;
  /** The certificate of the service. Clients need none: the token says who they are. */
  readonly tls: RpcTls;
  readonly tokens: Pick<AdminTokens, "accepts">;
}

/** Open connections, before further ones are closed at once. */
const MAX_CONNECTIONS = 100;
/** Requests with the token at a time: they share the connections to PostgreSQL with admission. */
const MAX_IN_FLIGHT = 8;
const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
const IDEMPOTENCY_KEY = "idempotency-key";

const HANDSHAKE_TIMEOUT_MS = 5_000;
/** Shorter than what run.ts gives each part to close. */
const DRAIN_GRACE_MS = 8_000;

export async function startAdminApi(options: AdminApiOptions) {
  const { address, tls } = options;
  const answer = new Answering(options);
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void answer.request(request, response);
  const server = createListener(tls, listener);
  const stopWatching =
    tls === "plaintext" || !("setSecureContext" in server)
      ? () => {}
      : tls.onChange((changed) => server.setSecureContext(changed));
  server.maxConnections = MAX_CONNECTIONS;
  server.on("clientError", refuseUnreadable);
  server.on("connect", (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        stopWatching();
        const late = setTimeout(() => server.closeAllConnections(), DRAIN_GRACE_MS);
        server.close(() => {
          clearTimeout(late);
          resolve();
        });
      }),
  };
}

type SecureServer = ReturnType<typeof createSecureServer>;

function createListener(
  tls: RpcTls,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Server | SecureServer {
  if (tls === "plaintext") return createServer(LIMITS, listener);
  const noClientCertificate = { requestCert: false, rejectUnauthorized: false };
  const handshakeTimeout = HANDSHAKE_TIMEOUT_MS;
  const secure = { ...LIMITS, ...tls.serverOptions, ...noClientCertificate, handshakeTimeout };
  return createSecureServer(secure, listener);
}

/** Answers requests, and counts what is refused. */
class Answering {
  readonly #options: AdminApiOptions;
  readonly #boundedLog: BoundedLog;
  #inFlight = 0;
  #refused = 0;

  constructor(options: AdminApiOptions) {
    this.#options = options;
    this.#boundedLog = new BoundedLog(options.log, { linesPerS: 1 });
  }

  async request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { log, requests } = this.#options;
    const requestId = newId("req");
    let route: AdminRoute | undefined;
    try {
      this.#authenticate(request);
      const [pathname = "", search] = (request.url ?? "").split("?");
      route = ADMIN_ROUTES.find((each) => isRoute(each, request.method, pathname));
      const query = new URLSearchParams(search);
      const answered = await this.#handle(route, { request, pathname, query });
      requests.inc({ route: route?.name ?? "unmatched", outcome: "ok" });
      send(response, answered, requestId);
    } catch (error) {
      // The client has gone, in the middle of its body.
      if (request.socket.destroyed) return;
      const { body, headers, status, unexpected } = errorAnswer(error, requestId);
      const outcome = status === 401 ? "unauthenticated" : status < 500 ? "refused" : "failed";
      requests.inc({ route: route?.name ?? "unmatched", outcome });
      if (unexpected) log.error({ err: error, request_id: requestId }, "admin request failed");
      // What is left of its body is not read.
      send(response, { status, body, headers: { ...headers, connection: "close" } }, requestId);
    }
  }

  /** Does the same work for every request, whether its token is absent, wrong or right. */
  #authenticate(request: IncomingMessage): void {
    const [, given = ""] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
    if (this.#options.tokens.accepts(given)) return;
    this.#refused += 1;
    const fields = { address: request.socket.remoteAddress, refusals: this.#refused };
    if (this.#boundedLog.write("warn", fields, "admin request without a token")) this.#refused = 0;
    throw new AnnalsError("unauthenticated", "The token of the admin API is missing or wrong.");
  }

  async #handle(
    route: AdminRoute | undefined,
    asked: { request: IncomingMessage; pathname: string; query: URLSearchParams },
  ): Promise<AdminAnswer> {
    const { pathname, query, request } = asked;
    if (!route) {
      throw new AnnalsError(
        "not_found",
        "The admin API has no such path, or not with this method.",
      );
    }
    if (this.#inFlight >= MAX_IN_FLIGHT) {
      throw unavailable(`More than ${MAX_IN_FLIGHT} requests at a time. Try again.`);
    }
    this.#inFlight += 1;
    try {
      const takesBody = route.method === "POST" || route.method === "PATCH";
      return await route.handle(this.#options.deps, {
        id: route.path.exec(pathname)?.[1] ?? "",
        query,
        body: takesBody ? await readBody(request) : new Members(),
        idempotencyKey: idempotencyKeyOf(request),
      });
    } finally {
      this.#inFlight -= 1;
    }
  }
}

/** Node joins headers that are repeated: only the raw ones show it. */
function idempotencyKeyOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const isName = (text: string, at: number) =>
    at % 2 === 0 && text.toLowerCase() === IDEMPOTENCY_KEY;
  if (rawHeaders.filter(isName).length > 1)
    throw invalid({ field: "Idempotency-Key", message: "is repeated" });
  return headers[IDEMPOTENCY_KEY]?.toString();
}

function isRoute(route: AdminRoute, method: string | undefined, pathname: string): boolean {
  return route.method === method && route.path.test(pathname);
}

function send(response: ServerResponse, answer: AdminAnswer, requestId: string): void {
  const text = answer.body === undefined ? "" : JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    ...answer.headers,
    "x-request-id": requestId,
    // A key may be in it.
    "cache-control": "no-store",
    ...(text !== "" && {
      "content-type": "application/json; charset=utf-8",
      "content-length": String(Buffer.byteLength(text)),
    }),
  });
  response.end(text);
}

/** What is not HTTP, has too large headers, or came too slowly. */
function refuseUnreadable(error: Error, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const why = "code" in error && error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "slow" : "malformed";
  const { body } = errorAnswer(
    invalid({ field: "", message: `The request is ${why}, or its headers are too large.` }),
    "",
  );
  const text = JSON.stringify(body);
  socket.end(
    "HTTP/1.1 422 Unprocessable Entity\r\ncontent-type: application/json; charset=utf-8\r\n" +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}
