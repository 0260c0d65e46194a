// The metrics of the ledger, besides those that every service has. Made once by serve.ts.

import { Counter, Histogram, type Registry } from "@annals/chassis";

export type Metrics = ReturnType<typeof createMetrics>;

/** The batchers of this service: `batcher` of their metrics. */
export type BatcherName = "ledger_appends" | "ledger_commits";

export function createMetrics(registry: Registry) {
  const metrics = {
    batcher: batcherMetrics(registry),
    flushes: new Histogram({
      name: "annals_append_group_size",
      help: "Events that are stored together on one chain: how well concurrent appends share commits.",
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000],
      registers: [registry],
    }),
    brokenChains: new Counter({
      name: "annals_chain_invariant_broken_total",
      help: "Appends refused because the chain does not continue at its head. Any increase needs a person.",
      registers: [registry],
    }),
    verifications: new Counter({
      name: "annals_verifications_total",
      help: "Finished verifications of a chain, by result: valid, invalid.",
      labelNames: ["result"],
      registers: [registry],
    }),
  };
  // An alert on the increase sees the first one only where the series exists before it.
  metrics.verifications.inc({ result: "valid" }, 0);
  metrics.verifications.inc({ result: "invalid" }, 0);
  return metrics;
}

/** What a batcher of one name reports. The gateway has the same metrics for its own. */
function batcherMetrics(registry: Registry) {
  const labelNames = ["batcher"] as const;
  const registers = [registry];
  const size = new Histogram({
    name: "annals_batcher_group_size",
    help: "Items of a group when it starts, by batcher: admissions, gateway_appends, ledger_appends, ledger_commits.",
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
  return (batcher: BatcherName) => {
    const [groupSize, waitSeconds, refusals] = [
      size.labels({ batcher }),
      wait.labels({ batcher }),
      refused.labels({ batcher }),
    ];
    return {
      started: (items: number, seconds: number): void => {
        groupSize.observe(items);
        waitSeconds.observe(seconds);
      },
      refused: (): void => refusals.inc(),
    };
  };
}
