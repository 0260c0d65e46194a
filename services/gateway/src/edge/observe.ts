// Measures, traces and logs every request: one duration, one span, one line of the access log, named after
// the route.

import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import type { Metrics } from "../metrics.ts";
import type { AccessLog } from "./access-log.ts";

const tracer = trace.getTracer("annals.gateway");

export function observeRequests(
  app: FastifyInstance,
  { requestDuration }: Metrics,
  accessLog: AccessLog,
): void {
  // One series per set of labels: finding it in the histogram costs more than the observation.
  const series = new Map<string, { observe(seconds: number): void }>();
  const seriesOf = (method: string, route: string, status: string) => {
    const name = `${status} ${method} ${route}`;
    const known = series.get(name) ?? requestDuration.labels(method, route, status);
    series.set(name, known);
    return known;
  };
  app.addHook("onResponse", (request, reply, next) => {
    const route = request.routeOptions.url ?? "unmatched";
    seriesOf(request.method, route, String(reply.statusCode)).observe(reply.elapsedTime / 1000);
    accessLog.record({
      requestId: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      caller: request.caller,
    });
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
