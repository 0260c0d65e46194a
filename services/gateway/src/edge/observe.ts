// Measures and logs every request: one duration and one line of the access log, named after the route.

import type { FastifyInstance } from "fastify";
import type { Metrics } from "../metrics.ts";
import type { AccessLog } from "./access-log.ts";

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
    next();
  });
}
