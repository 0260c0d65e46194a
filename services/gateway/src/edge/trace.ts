// One span for every request that is recorded, from its head to the end of its response, in the trace that
// its client names. Called by app.ts if tracing is on. A span must never hold the path, the query, a
// header or an address: all of them may hold what a client wants to keep for itself.

import { failSpan, inTrace, isSampled, type Span, startRequestSpan } from "@annals/chassis";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** Set for a request that is recorded. */
    span: Span | undefined;
  }
}

/** Called before any other hook is added. */
export function traceRequests(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, next) => {
    const span = spanOf(request);
    if (!isSampled(span.spanContext())) {
      next();
      return;
    }
    request.span = span;
    // Not onResponse: it is not called if the client disconnects.
    reply.raw.once("close", () => end(span, reply));
    inTrace(span, next);
  });
  // The events of a body come outside of the context.
  app.addHook("preValidation", (request, _reply, next) => {
    if (request.span) inTrace(request.span, next);
    else next();
  });
}

function spanOf(request: FastifyRequest): Span {
  const { method, headers, id } = request;
  const route = request.routeOptions.url;
  return startRequestSpan(route === undefined ? method : `${method} ${route}`, headers, {
    "http.request.method": method,
    ...(route !== undefined && { "http.route": route }),
    "url.scheme": "http",
    "annals.request_id": id,
  });
}

function end(span: Span, { raw, statusCode }: FastifyReply): void {
  if (raw.headersSent) span.setAttribute("http.response.status_code", statusCode);
  if (!raw.writableFinished) failSpan(span, "client_disconnected");
  else if (statusCode >= 500) failSpan(span, String(statusCode));
  span.end();
}
