// Metrics for Prometheus. Each service declares its own in one metrics.ts; what every service has
// (process, RPC, database) is declared here. Names follow OpenTelemetry where it names the thing,
// `annals_` is for the domain. A label has a closed set of values; an id is never a label.

import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";

export { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Seconds: from a database round trip on the same host to the longest deadline. */
export const DURATION_BUCKETS_S = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** A registry that already counts the process itself: CPU, memory, event loop, garbage collection. */
export function createRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Time of calls that this process answers. */
export function rpcServerDuration(registry: Registry): Histogram {
  return new Histogram({
    name: "rpc_server_call_duration_seconds",
    help: "Time to answer an RPC, by method and gRPC status.",
    labelNames: ["rpc_service", "rpc_method", "rpc_response_status_code"],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
}

/** Time of calls that this process makes. */
export function rpcClientDuration(registry: Registry): Histogram {
  return new Histogram({
    name: "rpc_client_call_duration_seconds",
    help: "Time until an RPC to another service is answered, by method and gRPC status.",
    labelNames: ["rpc_service", "rpc_method", "rpc_response_status_code"],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
}

/** Time of database statements, by the name in their leading comment. */
export function databaseDuration(registry: Registry): Histogram {
  return new Histogram({
    name: "db_client_operation_duration_seconds",
    help: "Time until PostgreSQL answers a statement, by the statement's name.",
    labelNames: ["db_operation_name", "error_type"],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
}

/** Failed runs of the loops of loop.ts. */
export function workerFailures(registry: Registry): Counter<"worker"> {
  return new Counter({
    name: "annals_worker_failures_total",
    help: "Failed runs of background work, each retried with backoff, by worker.",
    labelNames: ["worker"],
    registers: [registry],
  });
}
