// Measures the backlog of deliveries and the state of the webhooks, for the metrics. Every replica measures
// the same tables, so that any one of them is enough.

import { type Logger, type Loop, startMeasuring } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { Metrics } from "../../metrics.ts";
import { countWebhookStates } from "../store/count-webhook-states.ts";
import { measureBacklog } from "../store/measure-backlog.ts";

export interface MeasuringDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** See store/moment.ts. */
  readonly now: () => string;
}

const INTERVAL_MS = 10_000;

export function startMeasuringBacklog({ database, log, metrics, now }: MeasuringDeps): Loop {
  const { failingLongest, failures, oldestDue, pending, webhooks } = metrics;
  return startMeasuring({
    name: "measuring",
    log,
    failures,
    delayMs: INTERVAL_MS,
    gauges: [pending, oldestDue, webhooks, failingLongest],
    measure: async () => {
      const [backlog] = await database.run(measureBacklog, [now()]);
      const [states] = await database.run(countWebhookStates, [now()]);
      if (!backlog || !states) throw new Error("an aggregate returned no row");
      pending.set(Number(backlog.pending));
      oldestDue.set(backlog.oldest_due_s);
      for (const state of ["healthy", "failing", "disabled", "inactive"] as const)
        webhooks.set({ state }, states[state]);
      failingLongest.set(states.failing_longest_s);
    },
  });
}
