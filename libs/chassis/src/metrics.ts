// Metrics for Prometheus. Each service declares its own in one metrics.ts; those that several services have
// (process, RPC, database, workers) are declared here. Names follow OpenTelemetry if it has one, else they
// begin with `annals_`. A label has a closed set of values; an id is never a label.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { readFileSync } from "node:fs";

export { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Seconds: from a database round trip on the same host to the verification of the longest chain. */
export const DURATION_BUCKETS_S = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600,
];

/**
 * Between two samples of the delay of the event loop. Each wakes the process: every 10 ms, prom-client's
 * default, is most of what an idle service costs.
 */
const EVENT_LOOP_INTERVAL_MS = 100;

/** A registry with the metrics of the process: build, CPU, memory, event loop, garbage collection. */
export function createRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({
    register: registry,
    eventLoopMonitoringPrecision: EVENT_LOOP_INTERVAL_MS,
  });
  const build = new Gauge({
    name: "annals_build_info",
    help: "Always 1. The label is the running release.",
    labelNames: ["version"],
    registers: [registry],
  });
  const { version } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  ) as { version: string };
  build.set({ version }, 1);
  return registry;
}

/** Measures the duration of the RPCs that this process serves. */
export function rpcServerDuration(registry: Registry): Histogram {
  return new Histogram({
    name: "rpc_server_call_duration_seconds",
    help: "Duration of an RPC, by method and gRPC status.",
    labelNames: ["rpc_service", "rpc_method", "rpc_response_status_code"],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
}

/** Measures the duration of the RPCs that this process calls. */
export function rpcClientDuration(registry: Registry): Histogram {
  return new Histogram({
    name: "rpc_client_call_duration_seconds",
    help: "Time until the response to an RPC to another service, by method and gRPC status.",
    labelNames: ["rpc_service", "rpc_method", "rpc_response_status_code"],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
}

/** RPCs that this process refused because the table of access does not grant them. */
export function rpcRefusals(registry: Registry): Counter<"caller" | "rpc_method"> {
  return new Counter({
    name: "annals_rpc_access_refused_total",
    help:
      "RPCs denied because the caller is not authorized, by method and caller: " +
      "gateway, keys, export, webhook-dispatcher, unknown.",
    labelNames: ["caller", "rpc_method"],
    registers: [registry],
  });
}

/** Measures when the certificates for RPCs expire. */
export function certificateExpiry(registry: Registry): Gauge<"certificate"> {
  return new Gauge({
    name: "annals_tls_certificate_expiry_timestamp_seconds",
    help: "When a certificate for RPCs expires (Unix time), by certificate: service, authority.",
    labelNames: ["certificate"],
    registers: [registry],
  });
}

/** Connections of a pool in use and idle, and callers that wait for one. */
export interface PoolState {
  readonly used: number;
  readonly idle: number;
  readonly pending: number;
}

export type DatabaseMetrics = ReturnType<typeof databaseMetrics>;

/** Measures the connection pools, and statements by the name in their leading comment. */
export function databaseMetrics(registry: Registry) {
  const registers = [registry];
  const pools: (() => PoolState)[] = [];
  const sum = (member: keyof PoolState): number =>
    pools.reduce((total, read) => total + read()[member], 0);
  const max = new Gauge({
    name: "db_client_connection_max",
    help: "Maximum connections of this replica to PostgreSQL.",
    registers,
  });
  const count = new Gauge({
    name: "db_client_connection_count",
    help: "Connections of this replica to PostgreSQL, by state: idle, used.",
    labelNames: ["db_client_connection_state"],
    registers,
    collect: () => {
      count.set({ db_client_connection_state: "idle" }, sum("idle"));
      count.set({ db_client_connection_state: "used" }, sum("used"));
    },
  });
  const pending: Gauge = new Gauge({
    name: "db_client_connection_pending_requests",
    help: "Statements and transactions that wait while every connection of the pool is in use.",
    registers,
    collect: () => pending.set(sum("pending")),
  });
  return {
    duration: new Histogram({
      name: "db_client_operation_duration_seconds",
      help: "Duration of a statement in PostgreSQL, by the statement's name.",
      labelNames: ["db_operation_name", "error_type"],
      buckets: DURATION_BUCKETS_S,
      registers,
    }),
    wait: new Histogram({
      name: "db_client_connection_wait_time_seconds",
      help: "Time that a statement or transaction waited for a connection of the pool.",
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 3, 10],
      registers,
    }),
    /** Called once for each pool of the process. */
    watch: (maxConnections: number, state: () => PoolState): void => {
      pools.push(state);
      max.inc(maxConnections);
    },
  };
}

/** What the sweeps delete. */
export function rowsSwept(registry: Registry): Counter<"kind"> {
  return new Counter({
    name: "annals_rows_swept_total",
    help: "Rows that were deleted because they had expired, by kind.",
    labelNames: ["kind"],
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

/** Counts what shows that the log of evidence went back. */
export function logRollbacks(registry: Registry): Counter {
  return new Counter({
    name: "annals_log_rollback_total",
    help: "Epochs not closed, or signatures refused, because the log of evidence was longer before.",
    registers: [registry],
  });
}

/** Measures by how many seconds the clock of this process is ahead of the database's. */
export function clockOffset(registry: Registry, offsetS: () => number): void {
  const gauge: Gauge = new Gauge({
    name: "annals_clock_offset_seconds",
    help: "Seconds by which the clock of this process is ahead of the database's; negative if it is behind.",
    registers: [registry],
    collect: () => gauge.set(offsetS()),
  });
}

/** Measures by kind how late others are to sign or keep a checkpoint of the log of evidence. */
export function logAnchorLag(registry: Registry): Gauge<"kind"> {
  return new Gauge({
    name: "annals_log_anchor_lag_seconds",
    help: "Time for which an anchor of the log is overdue, by kind: witness (the quorum), timestamp, bucket; 0 if it is not.",
    labelNames: ["kind"],
    registers: [registry],
  });
}

/** Measures how long the oldest audit entry has waited for the ledger. */
export function auditLag(registry: Registry): Gauge {
  return new Gauge({
    name: "annals_audit_lag_seconds",
    help: "Age of the oldest audit entry of this service that the ledger has not stored yet; 0 if all are stored.",
    registers: [registry],
  });
}
