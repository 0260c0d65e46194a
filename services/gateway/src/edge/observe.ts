// Measures every request: one duration, by route and status.

import type { FastifyInstance } from "fastify";
import type { Metrics } from "../metrics.ts";

export function observeRequests(app: FastifyInstance, { requestDuration }: Metrics): void {
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
    next();
  });
}
