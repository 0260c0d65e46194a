// The HTTP server: Fastify with strict reading, strict validation and one error shape. Called by serve.ts.
// The routes under /v1 are in v1.ts; here is what all requests share.

import { inTrace, type Logger } from "@annals/chassis";
import { type Clock, newId, type Random } from "@annals/contract";
import { isEventBytes } from "@annals/event";
import { Ajv, type ValidateFunction } from "ajv";
import fastify, { type FastifyInstance } from "fastify";
import type { Server } from "node:http";
import { admissionHook, type AdmissionHookOptions, readmitAfterBody } from "./admission/hook.ts";
import type { Admissions } from "./admission/admissions.ts";
import { AUTH } from "./auth.ts";
import { type AuthOptions, serveAuth } from "./auth/serve-auth.ts";
import { respondToHandshakes } from "./intake/cloudevents-handshake.ts";
import { serveDashboard } from "./pages/dashboard.ts";
import type { Deps } from "./deps.ts";
import { abortWithoutStackTraces } from "./edge/aborted-requests.ts";
import { errorResponder, notFound, refuseUnknown } from "./edge/error-responder.ts";
import type { AccessLog } from "./edge/access-log.ts";
import { respondToClientErrors } from "./edge/client-error.ts";
import { respondToPreflights } from "./edge/cors.ts";
import type { EarlyResponses } from "./edge/early-response.ts";
import { readJsonBodies } from "./edge/json-body.ts";
import { observeRequests } from "./edge/observe.ts";
import { ignoreUpgrades } from "./edge/ignored-upgrades.ts";
import { faultOfRequestHead } from "./edge/request-head.ts";
import { type HeadLogOptions, serveHeadLog } from "./log/head-log.ts";
import { PRIVATE_HEADERS } from "./edge/private-headers.ts";
import type { RequestBudget } from "./edge/request-budget.ts";
import type { RequestsInFlight } from "./edge/requests-in-flight.ts";
import { showLimit } from "./edge/show-limit.ts";
import { traceRequests } from "./edge/trace.ts";
import type { Metrics } from "./metrics.ts";
import { servePages } from "./pages/pages.ts";
import type { ReadAudit } from "./reads/read-audit.ts";
import { registerRoutes } from "./register-routes.ts";
import { serveStaticFiles } from "./pages/static-files.ts";
import { MAX_PATH_LENGTH } from "./url-length.ts";
import { widgetFiles } from "./pages/widget.ts";

export interface AppOptions {
  readonly accessLog: AccessLog;
  readonly admissions: Admissions;
  /** Absent: nobody logs in with a browser. */
  readonly auth?: Pick<AuthOptions, "budgets" | "hasKeyLogin" | "publicOrigin"> | undefined;
  readonly clock: Clock;
  readonly deps: Deps;
  readonly earlyResponses: EarlyResponses;
  /** Whether it serves the dashboard. */
  readonly hasDashboard: boolean;
  /** Counts what each address asks of the head log; absent: the head log is not public. */
  readonly headLog?: HeadLogOptions["budget"] | undefined;
  readonly inFlight: RequestsInFlight;
  readonly ipOf: AdmissionHookOptions["ipOf"];
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly random: Random;
  readonly rateLimitPerMinute: number;
  /** Absent: reads are not recorded. */
  readonly reads: Pick<ReadAudit, "record"> | undefined;
  readonly widgetRateLimitPerMinute: number;
  readonly refusals: RequestBudget;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Whether requests may be recorded. */
  readonly isTracing: boolean;
}

/** The request line and the headers together: the longest URL, and as much again. */
const MAX_HEADER_BYTES = 32 * 1024;

/** How often Node checks for requests that are too slow. */
const SLOW_CHECK_INTERVAL_MS = 500;

export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const limit = options.rateLimitPerMinute;
  const newRequestId = () => newId("req", options.random);
  const clientErrors = respondToClientErrors({ ...options, limit, newRequestId });
  const respondToError = errorResponder(options);
  const app = fastify({
    bodyLimit: options.deps.limits.bodyMaxBytes,
    clientErrorHandler: clientErrors.onClientError,
    connectionTimeout: 0,
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => {
      showLimit(reply, limit, limit);
      reply.headers(PRIVATE_HEADERS).header("x-request-id", request.id);
      respondToError(error, request, reply);
    },
    genReqId: newRequestId,
    http: {
      connectionsCheckingInterval: SLOW_CHECK_INTERVAL_MS,
      headersTimeout: options.requestTimeoutMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node would return 400; here the header is checked.
      requireHostHeader: false,
    },
    keepAliveTimeout: options.keepAliveTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PATH_LENGTH },
  });
  // By default Node drops headers beyond a count silently. The count is checked here, so none may be dropped.
  app.server.maxHeadersCount = 0;
  respondToExpectations(app.server);
  abortWithoutStackTraces(app.server);
  options.inFlight.attach(app.server);
  clientErrors.refuseConnect(app.server);
  ignoreUpgrades(app.server, options);
  app.decorateRequest("span", undefined);
  if (options.isTracing) traceRequests(app);
  app.decorateRequest("admission", undefined);
  app.decorateRequest("caller", undefined);
  app.decorateRequest("readmit", () => Promise.reject(new Error("the request was not admitted")));
  validateStrictly(app);
  const { limits, turns } = options.deps;
  readJsonBodies(app, { inFlight: options.inFlight, limits, turns });
  observeRequests(app, options.metrics, options.accessLog, options.reads);
  // Synchronous hooks take a callback: a promise costs more than their work.
  app.addHook("onRequest", (request, reply, next) => {
    showLimit(reply, limit, limit);
    reply.headers(PRIVATE_HEADERS).header("x-request-id", request.id);
    next(faultOfRequestHead(request.raw));
  });
  app.setErrorHandler((error, request, reply) => {
    inTrace(request.span, () => respondToError(error, request, reply));
  });
  await addRoutes(app, options);
  return app;
}

/**
 * Node would return 417 for an expectation that it does not know: here the header is checked. And it would
 * ask for a body at once: here its sender is admitted first (register-routes.ts).
 */
function respondToExpectations(server: Server): void {
  for (const event of ["checkExpectation", "checkContinue"])
    server.on(event, (request, response) => server.emit("request", request, response));
}

/** Adds the routes. No body is read before its sender is known to be allowed to send it. */
async function addRoutes(app: FastifyInstance, options: AppOptions): Promise<void> {
  const { inFlight } = options;
  servePages(app, options.deps, inFlight);
  serveStaticFiles(app, widgetFiles(), inFlight);
  if (options.hasDashboard) serveDashboard(app, inFlight);
  if (options.headLog) {
    const { ledger } = options.deps;
    serveHeadLog(app, { ...options, budget: options.headLog, ledger });
  }
  const { auth } = options;
  if (auth) {
    const { keys } = options.deps;
    const serve = (own: FastifyInstance) => serveAuth(own, AUTH, { ...options, ...auth, keys });
    await app.register(serve, { prefix: "/auth" });
  }
  respondToPreflights(app, options.widgetRateLimitPerMinute, inFlight);
  await app.register(async (others) => {
    others.addHook("onRequest", refuseUnknown);
    others.setNotFoundHandler(notFound);
  });
  await app.register(
    async (v1) => {
      v1.addHook("onRequest", admissionHook(options));
      v1.addHook("onRequest", refuseUnknown);
      v1.addHook("preValidation", readmitAfterBody);
      v1.setNotFoundHandler(notFound);
      respondToHandshakes(v1, inFlight);
      registerRoutes(v1, options);
    },
    { prefix: "/v1" },
  );
}

/** Bodies are not coerced. Query parameters are text, and become numbers if the schema says so. */
function validateStrictly(app: FastifyInstance): void {
  const options = {
    strict: false,
    allErrors: false,
    removeAdditional: false,
    useDefaults: false,
    validateFormats: false,
  } as const;
  const bodies = new Ajv({ ...options, coerceTypes: false });
  const texts = new Ajv({ ...options, coerceTypes: true });
  // Formats and patterns are for the document: the handlers refuse what they describe, and name what is
  // wanted.
  for (const ajv of [bodies, texts]) ajv.removeKeyword("pattern");
  app.setValidatorCompiler(({ schema, httpPart }) =>
    httpPart === "body"
      ? unlessPlain(bodies.compile(schema as object))
      : texts.compile(schema as object),
  );
}

/** What was read as bytes was checked by what read it (edge/json-body.ts). */
function unlessPlain(validate: ValidateFunction) {
  return (body: unknown) =>
    isEventBytes(body) || validate(body) || { error: validate.errors as unknown as Error };
}
