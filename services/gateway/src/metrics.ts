// The metrics of the gateway, besides those that every service has.

import { DURATION_BUCKETS_S, Histogram, type Registry } from "@annals/chassis";
import { batcherMetrics } from "@annals/rpc";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const requestDuration = new Histogram({
    name: "http_server_request_duration_seconds",
    help:
      "Time to answer a request, by method, route and status. An unknown path has the route `unmatched`, " +
      "a request beyond the limit of concurrent requests the route `refused`.",
    labelNames: ["http_request_method", "http_route", "http_response_status_code"],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  return {
    batchers: batcherMetrics(registry),
    requestDuration,
    /** A request that was refused because too many were in flight. */
    onRefused: ({ method = "" }: { readonly method?: string | undefined }): void => {
      const labels = { http_route: "refused", http_response_status_code: "500" };
      requestDuration.observe({ http_request_method: method, ...labels }, 0);
    },
  };
}
