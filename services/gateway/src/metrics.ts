// The metrics of the gateway, besides those that every service has.

import { DURATION_BUCKETS_S, Histogram, type Registry } from "@annals/chassis";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  return {
    requestDuration: new Histogram({
      name: "http_server_request_duration_seconds",
      help: "Time to answer a request, by method, route and status. An unknown path has the route `unmatched`.",
      labelNames: ["http_request_method", "http_route", "http_response_status_code"],
      buckets: DURATION_BUCKETS_S,
      registers: [registry],
    }),
  };
}
