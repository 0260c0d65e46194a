// The HTTP server: Fastify with strict reading, strict validation and one error shape. Everything under /v1 is in v1.ts; what
// stands here is what all requests share.

import type { Logger } from "@annals/chassis";
import { type Clock, newId } from "@annals/contract";
import { AnnalsError, invalid } from "@annals/errors";
import { Ajv } from "ajv";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { admissionHook, showLimit } from "./admission/hook.ts";
import type { Admissions } from "./admission/admission.ts";
import { clientErrorHandler } from "./edge/client-error.ts";
import { readJsonBodies } from "./edge/json-body.ts";
import { observeRequests } from "./edge/observe.ts";
import { errorAnswer } from "./errors.ts";
import type { Metrics } from "./metrics.ts";
import { serveOpenApi } from "./openapi.ts";
import { registerRoutes } from "./register-routes.ts";
import type { Deps } from "./v1.ts";

export interface AppOptions {
  readonly admissions: Admissions;
  readonly clock: Clock;
  readonly deps: Deps;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly rateLimitPerMinute: number;
  readonly requestTimeoutMs: number;
}

/** The request line and the headers together; the longest useful URL is some 2 kB. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;
const MAX_URL_LENGTH = 2_048;

const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** How often Node looks for requests that are too slow. */
const SLOW_CHECK_INTERVAL_MS = 500;

export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const limit = options.rateLimitPerMinute;
  const newRequestId = () => newId("req");
  const app = fastify({
    bodyLimit: options.deps.limits.bodyMaxBytes,
    clientErrorHandler: clientErrorHandler({ limit, newRequestId }),
    connectionTimeout: 0,
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => {
      showLimit(reply as FastifyReply, limit, limit);
      answerError(options.log, error, request as FastifyRequest, reply as FastifyReply);
    },
    genReqId: newRequestId,
    http: {
      connectionsCheckingInterval: SLOW_CHECK_INTERVAL_MS,
      headersTimeout: options.requestTimeoutMs,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: options.requestTimeoutMs,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_URL_LENGTH },
  });
  // Node drops headers beyond its count without a word; here the count is checked, so none may be dropped.
  app.server.maxHeadersCount = 0;
  app.decorateRequest("admission", undefined);
  validateStrictly(app);
  readJsonBodies(app);
  observeRequests(app, options.metrics);
  app.addHook("onRequest", async (request, reply) => {
    showLimit(reply, limit, limit);
    reply.header("x-request-id", request.id);
    refuseOversized(request);
  });
  app.setErrorHandler((error, request, reply) => answerError(options.log, error, request, reply));
  app.setNotFoundHandler(notFound);
  await serveOpenApi(app);
  await app.register(
    async (v1) => {
      v1.addHook("onRequest", admissionHook(options.admissions));
      v1.setNotFoundHandler(notFound);
      registerRoutes(v1, options.deps, options.clock);
    },
    { prefix: "/v1" },
  );
  return app;
}

/** Bodies are taken as they are; parameters of the query are texts that stand for numbers where the schema says so. */
function validateStrictly(app: FastifyInstance): void {
  const options = {
    strict: false,
    allErrors: false,
    removeAdditional: false,
    useDefaults: false,
  } as const;
  const bodies = new Ajv({ ...options, coerceTypes: false });
  const texts = new Ajv({ ...options, coerceTypes: true });
  app.setValidatorCompiler(({ schema, httpPart }) =>
    (httpPart === "body" ? bodies : texts).compile(schema as object),
  );
}

function refuseOversized({ raw }: FastifyRequest): void {
  if ((raw.url?.length ?? 0) > MAX_URL_LENGTH) {
    throw invalid({ field: "", message: `The URL is longer than ${MAX_URL_LENGTH} characters.` });
  }
  if (raw.rawHeaders.length / 2 > MAX_HEADERS) {
    throw invalid({ field: "", message: `The request has more than ${MAX_HEADERS} headers.` });
  }
}

async function notFound(request: FastifyRequest): Promise<never> {
  const path = request.url.split("?")[0]?.slice(0, 200) ?? "";
  throw new AnnalsError("not_found", `There is no ${request.method} ${path}.`);
}

function answerError(
  log: Logger,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { status, headers, body, unexpected } = errorAnswer(error, request.id);
  if (unexpected) log.error({ err: error, request_id: request.id }, "request failed");
  else if (status >= 500)
    log.warn({ err: error, request_id: request.id }, "request could not be served");
  void reply
    .code(status)
    .headers(headers)
    .type("application/json; charset=utf-8")
    .send(JSON.stringify(body));
}
