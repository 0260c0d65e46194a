// The metrics of the export service, besides those that every service has.

import { Counter, Gauge, type Registry, rowsSwept, workerFailures } from "@annals/chassis";

const OUTCOMES = [
  "completed",
  "failed",
  "lease_lost",
  "lost_events",
  "no_events",
  "no_room",
  "not_covered",
  "put_back",
  "stopped",
  "storage_refused",
];

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const metrics = {
    attempts: new Counter({
      name: "annals_export_attempts_total",
      help: `Finished attempts at an export, by outcome: ${OUTCOMES.join(", ")}.`,
      labelNames: ["outcome"],
      registers: [registry],
    }),
    failed: new Counter({
      name: "annals_exports_failed_total",
      help: "Exports that failed permanently: their last attempt has failed.",
      registers: [registry],
    }),
    /** status: pending, running, failed. */
    kept: new Gauge({
      name: "annals_exports",
      help: "Exports that are not completed, by status: pending, running, failed.",
      labelNames: ["status"],
      registers: [registry],
    }),
    /** status: pending, running, failed. */
    oldest: new Gauge({
      name: "annals_exports_oldest_seconds",
      help: "Time since the creation of the oldest export of a status: pending, running, failed; 0 if no export has it.",
      labelNames: ["status"],
      registers: [registry],
    }),
    archiveLag: new Gauge({
      name: "annals_archive_lag_seconds",
      help: "Time since the end of the oldest month that is still to be archived; 0 if every ended one is.",
      registers: [registry],
    }),
    archiveBytes: new Counter({
      name: "annals_archive_bytes_total",
      help: "Bytes of the files of archives that were written, those that were written anew included.",
      registers: [registry],
    }),
    /** worker: the name of its loop. */
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
  // An alert on the increase sees the first one only if the series existed before it.
  for (const outcome of OUTCOMES) metrics.attempts.inc({ outcome }, 0);
  return metrics;
}
