// The metrics of batchers, the same in every service that has one. Called once a process by its metrics.ts;
// each batcher gets the recorder of its name.

import { Counter, Histogram, type Registry } from "@annals/chassis";
import type { BatcherMetrics } from "./batcher.ts";

/** The values of the label `batcher`. */
export type BatcherName = "admissions" | "gateway_appends" | "ledger_appends" | "ledger_commits";

export function batcherMetrics(registry: Registry): (batcher: BatcherName) => BatcherMetrics {
  const labelNames = ["batcher"] as const;
  const registers = [registry];
  const size = new Histogram({
    name: "annals_batcher_group_size",
    help: "Number of items in a group when it starts, by batcher: admissions, gateway_appends, ledger_appends, ledger_commits.",
    labelNames,
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000],
    registers,
  });
  const wait = new Histogram({
    name: "annals_batcher_wait_seconds",
    help: "Time that the first item of a group waited for the group to start, by batcher.",
    labelNames,
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers,
  });
  const refused = new Counter({
    name: "annals_batcher_refused_total",
    help: "Items refused because too much work was queued, by batcher.",
    labelNames,
    registers,
  });
  return (batcher) => {
    const labels = { batcher };
    const [sizes, waits, refusals] = [
      size.labels(labels),
      wait.labels(labels),
      refused.labels(labels),
    ];
    return {
      started: (items, waitSeconds) => {
        sizes.observe(items);
        waits.observe(waitSeconds);
      },
      refused: () => refusals.inc(),
    };
  };
}
