// The admin API: accounts, keys and plans for programs of the operator, on a port of its own, apart from the
// interface. Built by open.ts if a token or the operator's console is configured. Every request needs a token
// or a session of the console, and learns nothing before that: not even which paths of the API there are. It
// must never be reachable by clients.

import {
  BoundedLog,
  type Counter,
  drainBody,
  type DrainLimits,
  hasUnreadBody,
  type Logger,
} from "@annals/chassis";
import { newId, Slots } from "@annals/contract";
import { AnnalsError, invalid, unavailable } from "@annals/errors";
import type { RpcTls } from "@annals/rpc";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer, Server as SecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { OPERATOR } from "../accounts/rules/audit-entries.ts";
import { MAX_BODY_BYTES, Members, readMembers } from "./body.ts";
import type { Console } from "./console.ts";
import { errorResponse } from "./errors.ts";
import type { AdminRequest, AdminResponse, AdminRoute, Caller, Deps } from "./route.ts";
import { ADMIN_ROUTES } from "./routes.ts";
import type { AdminTokens } from "./tokens.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route's, as the metric of requests names it. */
    name?: string;
    /** Whether anyone who reaches the port may ask it: a login, and the files of the console. */
    isOpen?: boolean;
  }
  interface FastifyRequest {
    /** Who calls, once that is known. */
    operator: Caller | undefined;
  }
}

export interface AdminApiOptions {
  readonly address: { readonly host: string; readonly port: number };
  readonly deps: Deps;
  readonly log: Pick<Logger, "error" | "info" | "warn">;
  readonly requests: Pick<Counter<"route" | "outcome">, "inc">;
  /** The certificate of the service. Clients need none: the token says who they are. */
  readonly tls: RpcTls;
  /** Without it no program has access. */
  readonly tokens: Pick<AdminTokens, "accepts"> | undefined;
  /** Without it no person has access. */
  readonly console?: Pick<Console, "operators" | "serve"> | undefined;
}

/** Open connections, before further ones are closed at once. */
const MAX_CONNECTIONS = 100;
/** Admitted requests at a time: they share the connections to PostgreSQL with admission. */
const MAX_IN_FLIGHT = 8;
/** A page of the console asks for several things at once. */
const PAGE_WAIT_MS = 5_000;
/** Who takes turns for the slots. */
const [PROGRAMS, PAGES] = ["programs", "pages"];
const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
/** How much of a refused body is read and discarded. A client that sends more may see a reset. */
const DRAINED: DrainLimits = { maxBytes: 16 * 1024 * 1024, maxMs: 5_000 };
const IDEMPOTENCY_KEY = "idempotency-key";
/** Who has a token. */
const PROGRAM: Caller = { actor: OPERATOR, sessionId: undefined };

const HANDSHAKE_TIMEOUT_MS = 5_000;
/** Shorter than what run.ts gives each part to close. */
const DRAIN_GRACE_MS = 8_000;

export async function startAdminApi(options: AdminApiOptions) {
  const { address, tls } = options;
  const app = createApp(options);
  await app.ready();
  const { server } = app;
  const stopWatching =
    tls !== "plaintext" && server instanceof SecureServer
      ? tls.onChange((changed) => server.setSecureContext(changed))
      : () => {};
  server.maxConnections = MAX_CONNECTIONS;
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

function createListener(tls: RpcTls, listener: RequestListener): Server {
  if (tls === "plaintext") return createServer(LIMITS, listener);
  const noClientCertificate = { requestCert: false, rejectUnauthorized: false };
  const handshakeTimeout = HANDSHAKE_TIMEOUT_MS;
  const secure = { ...LIMITS, ...tls.serverOptions, ...noClientCertificate, handshakeTimeout };
  return createSecureServer(secure, listener);
}

function createApp(options: AdminApiOptions): FastifyInstance {
  const authenticate = authentication(options);
  const respondToError = errorResponder(options);
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    clientErrorHandler: refuseUnreadable,
    exposeHeadRoutes: false,
    // A path that cannot be decoded. No hook has seen it.
    frameworkErrors: (_, request, reply) => {
      const refused = authenticate.byToken(request) ? unknownPath() : unauthenticated(options);
      respondToError(refused, request, reply);
    },
    genReqId: () => newId("req"),
    return503OnClosing: false,
    serverFactory: (listener) => createListener(options.tls, listener),
  });
  app.removeAllContentTypeParsers();
  const asItCame = async (_: FastifyRequest, body: Buffer) => body;
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, asItCame);
  app.decorateRequest("operator");
  // Before a body is read.
  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.config.isOpen === true) return;
    request.operator = await authenticate.anyone(request, reply);
    if (request.is404) throw unknownPath();
  });
  app.setErrorHandler(respondToError);
  // A slot is free again when its work has ended, not when its client has gone.
  const refuse = (who: string) => (who === PROGRAMS ? tooMany() : undefined);
  const slots = new Slots({ total: MAX_IN_FLIGHT, refuse });
  for (const route of ADMIN_ROUTES) {
    app.route({
      method: route.method,
      url: route.path,
      config: { name: route.name },
      handler: async (request, reply) => {
        const asked = requestOf(route, request);
        const handle = () => route.handle(options.deps, asked);
        const response = await (asked.sessionId === undefined
          ? slots.run(PROGRAMS, handle)
          : slots.runWithin(PAGES, PAGE_WAIT_MS, tooMany, handle));
        options.requests.inc({ route: route.name, outcome: "ok" });
        return send(reply, response, request.id);
      },
    });
  }
  options.console?.serve(app);
  return app;
}

/** Does the same work for every request, whether its token is absent, wrong or right. */
function authentication(options: AdminApiOptions) {
  const { log, tokens } = options;
  const boundedLog = new BoundedLog(log, { linesPerS: 1 });
  let refusals = 0;
  const byToken = ({ headers, raw }: FastifyRequest): boolean => {
    const [, given = ""] = /^Bearer (\S+)$/i.exec(headers.authorization ?? "") ?? [];
    if (tokens?.accepts(given)) return true;
    refusals += 1;
    const fields = { address: raw.socket.remoteAddress, refusals };
    if (boundedLog.write("warn", fields, "admin request without a token")) refusals = 0;
    return false;
  };
  /** Throws `unauthenticated`. A token decides alone: a program sends no cookie. */
  const anyone = async (request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const operators = options.console?.operators;
    const isPerson = operators !== undefined && request.headers.authorization === undefined;
    const person = isPerson ? await operators.admit(request, reply) : undefined;
    if (person) return person;
    if (byToken(request)) return PROGRAM;
    throw unauthenticated(options);
  };
  return { anyone, byToken };
}

function unauthenticated({ console }: AdminApiOptions): AnnalsError {
  const message = console
    ? "The token of the admin API is missing or wrong, and no operator has logged in."
    : "The token of the admin API is missing or wrong.";
  return new AnnalsError("unauthenticated", message);
}

const tooMany = (): AnnalsError =>
  unavailable(`More than ${MAX_IN_FLIGHT} concurrent requests. Try again.`);

function requestOf(route: AdminRoute, request: FastifyRequest): AdminRequest {
  const { body, params, raw } = request;
  const { id = "", partId = "" } = params as { readonly id?: string; readonly partId?: string };
  const takesBody = route.method === "POST" || route.method === "PATCH";
  return {
    id,
    partId,
    query: new URLSearchParams(raw.url?.split("?")[1]),
    body: takesBody ? readMembers(body as Buffer | undefined) : new Members(),
    idempotencyKey: idempotencyKeyOf(raw),
    ...(request.operator ?? PROGRAM),
  };
}

/** Node joins headers that are repeated: only the raw ones show it. */
function idempotencyKeyOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const isName = (text: string, at: number) =>
    at % 2 === 0 && text.toLowerCase() === IDEMPOTENCY_KEY;
  if (rawHeaders.filter(isName).length > 1)
    throw invalid({ field: "Idempotency-Key", message: "is repeated" });
  return headers[IDEMPOTENCY_KEY]?.toString();
}

function unknownPath(): AnnalsError {
  return new AnnalsError("not_found", "No route of the admin API matches this method and path.");
}

/** Responds to a failed request, and counts it. */
function errorResponder({ log, requests }: AdminApiOptions) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const { body, headers, status, unexpected } = errorResponse(error, request.id);
    const outcome = status === 401 ? "unauthenticated" : status < 500 ? "refused" : "failed";
    // The client has gone, in the middle of its body.
    if (!request.raw.socket.destroyed) {
      requests.inc({ route: request.routeOptions.config.name ?? "unmatched", outcome });
      if (unexpected) log.error({ err: error, request_id: request.id }, "admin request failed");
    }
    const response = { status, body, headers: { ...headers, connection: "close" } };
    // A body that came with its head is complete in the next turn of the event loop.
    if (hasUnreadBody(request.raw)) setImmediate(sendEarly, reply, response, request);
    else send(reply, response, request.id);
  };
}

/** Responds, and discards the rest of the body, before the connection is closed. */
function sendEarly(reply: FastifyReply, response: AdminResponse, { id, raw }: FastifyRequest) {
  const payload = JSON.stringify(response.body);
  const headers = {
    ...response.headers,
    "content-length": String(Buffer.byteLength(payload)),
    "content-type": "application/json; charset=utf-8",
  };
  const body = Readable.from(
    (async function* respond() {
      yield payload;
      if (hasUnreadBody(raw)) await drainBody(raw, DRAINED);
    })(),
  );
  send(reply, { ...response, headers, body }, id);
}

function send(reply: FastifyReply, response: AdminResponse, requestId: string): FastifyReply {
  // A key may be in it.
  const headers = { ...response.headers, "cache-control": "no-store", "x-request-id": requestId };
  return reply.code(response.status).headers(headers).send(response.body);
}

/** Responds to what is not HTTP, has too large headers, or came too slowly. */
function refuseUnreadable(error: Error, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const why = "code" in error && error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "slow" : "malformed";
  const { body } = errorResponse(
    invalid({ field: "", message: `The request is ${why}, or its headers are too large.` }),
    "",
  );
  const text = JSON.stringify(body);
  socket.end(
    "HTTP/1.1 422 Unprocessable Entity\r\ncontent-type: application/json; charset=utf-8\r\n" +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}
