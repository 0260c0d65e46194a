// Measures how many exports wait, run and have failed, for the metrics. Every replica measures the same
// table, so that any one of them is enough.

import { type Logger, type Loop, startMeasuring } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { Metrics } from "../../metrics.ts";
import { measureJobs } from "../store/measure-jobs.ts";

export interface MeasuringDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
}

const INTERVAL_MS = 15_000;

export function startExportMeasuring({ database, log, metrics }: MeasuringDeps): Loop {
  const { failures, kept, oldest } = metrics;
  return startMeasuring({
    name: "measuring",
    log,
    failures,
    delayMs: INTERVAL_MS,
    gauges: [kept, oldest],
    measure: async () => {
      const rows = await database.run(measureJobs, []);
      for (const status of ["pending", "running", "failed"] as const) {
        const row = rows.find((each) => each.status === status);
        kept.set({ status }, row?.count ?? 0);
        oldest.set({ status }, row?.oldest_s ?? 0);
      }
    },
  });
}
