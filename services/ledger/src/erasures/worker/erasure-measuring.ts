// Measures how many erasures have not ended, and for how long values may have been in old rows. Every replica
// measures the same table, so that any one of them is enough. Called by start-workers.ts.

import { type Closers, type Counter, type Logger, startMeasuring } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { Metrics } from "../../metrics.ts";
import { measureErasures } from "../store/vacuum.ts";

interface MeasuringDeps {
  readonly closers: Closers;
  readonly database: Database;
  readonly failures: Pick<Counter<"worker">, "inc">;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, "erasuresOpen" | "oldestErasure" | "unvacuumed">;
}

const INTERVAL_MS = 15_000;

export function startErasureMeasuring(deps: MeasuringDeps): void {
  const { closers, database, failures, log, metrics } = deps;
  const { erasuresOpen, oldestErasure, unvacuumed } = metrics;
  const loop = startMeasuring({
    name: "erasure_measuring",
    log,
    failures,
    delayMs: INTERVAL_MS,
    gauges: [erasuresOpen, oldestErasure, unvacuumed],
    measure: async () => {
      const [row] = await database.run(measureErasures, []);
      for (const state of ["pending", "running", "copies"] as const)
        erasuresOpen.set({ state }, row?.[state] ?? 0);
      oldestErasure.set(Math.max(0, row?.oldest_s ?? 0));
      unvacuumed.set(Math.max(0, row?.unvacuumed_s ?? 0));
    },
  });
  closers.addWorker("erasure measuring", loop);
}
