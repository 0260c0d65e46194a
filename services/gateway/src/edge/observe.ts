// Measures and traces every request: one duration, one span, named after the route.

import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import type { Metrics } from "../metrics.ts";

const tracer = trace.getTracer("annals.gateway");

export function observeRequests(app: FastifyInstance, { requestDuration }: Metrics): void {
  app.addHook("onResponse", (request, reply, next) => {
    const route = request.routeOptions.url ?? "unmatched";
    requestDuration.observe(
      {
        http_request_method: request.method,
        http_route: route,
        http_response_status_code: String(reply.statusCode),
      },
      reply.elapsedTime / 1000,
    );
    const ended = Date.now();
    const span = tracer.startSpan(`${request.method} ${route}`, {
      kind: SpanKind.SERVER,
      startTime: ended - reply.elapsedTime,
      attributes: { "http.route": route, "http.response.status_code": reply.statusCode },
    });
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(ended);
    next();
  });
}
