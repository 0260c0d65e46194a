// The metrics of the export service, besides those that every service has.

import { Counter, Gauge, type Registry, rowsSwept, workerFailures } from "@annals/chassis";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  return {
    attempts: new Counter({
      name: "annals_export_attempts_total",
      help: "Finished attempts at an export, by outcome: completed, failed, lease_lost, stopped.",
      labelNames: ["outcome"],
      registers: [registry],
    }),
    /** worker: audit, exports, export_sweep, outbox_pruner. */
    failures: workerFailures(registry),
    /** kind: exports, outbox. */
    swept: rowsSwept(registry),
    running: new Gauge({
      name: "annals_exports_running",
      help: "Exports that this replica is writing.",
      registers: [registry],
    }),
    events: new Counter({
      name: "annals_export_events_total",
      help: "Events written to export files, including those of failed attempts.",
      registers: [registry],
    }),
  };
}
