// Starts what the ledger does in the background, in loops that end with the process. Called by serve.ts.

import { type Closers, type Counter, type LoopOptions, startLoop } from "@annals/chassis";
import { type Pool, startOutboxPruner } from "@annals/postgres";
import type { GrownChains } from "../append/grown-chains.ts";
import type { Metrics } from "../metrics.ts";
import { OUTBOX } from "../store/outbox.ts";
import type { BlockChecker } from "../verify/block-checker.ts";
import { Availability, DELAY_MS as AVAILABILITY_DELAY_MS } from "./availability.ts";
import { DELAY_MS as EPOCHS_DELAY_MS, EpochCloser, type EpochCloserDeps } from "./epoch-closer.ts";
import { DELAY_MS as INDEX_DELAY_MS, FilterIndex } from "./filter-index.ts";
import { startIdempotencySweep } from "./idempotency-sweep.ts";
import { DELAY_MS as THINNING_DELAY_MS, LogThinning } from "./log-thinning.ts";
import { PASS_DELAY_MS, ScheduledVerification } from "./scheduled-verification.ts";
import { DELAY_MS as TREES_DELAY_MS, TreeBuilder } from "./tree-builder.ts";

interface WorkersDeps extends Pick<LoopOptions, "failures" | "log"> {
  readonly blocks: BlockChecker;
  readonly closers: Closers;
  readonly database: Pool;
  readonly epochs: Pick<
    EpochCloserDeps,
    "clock" | "closer" | "intervalS" | "keys" | "origin" | "policy"
  >;
  readonly grown: GrownChains;
  /** Whether the filter index is only measured. */
  readonly indexPaused: boolean;
  readonly metrics: Metrics;
  readonly swept: Pick<Counter<"kind">, "inc">;
  /** 0: no scheduled verification. */
  readonly verifyIntervalHours: number;
}

export function startWorkers({ closers, ...deps }: WorkersDeps): void {
  const { database, failures, grown, log, metrics } = deps;
  const start = (
    name: string,
    options: Pick<LoopOptions, "delayMs" | "initialDelayMs" | "run">,
  ) => {
    const loop = startLoop({ name, failures, log, ...options });
    closers.add(name.replace("_", " "), loop, () => loop.stop());
  };
  const sweep = startIdempotencySweep(deps);
  closers.add("idempotency sweep", sweep, () => sweep.stop());
  const pruner = startOutboxPruner(OUTBOX, deps);
  closers.add("outbox pruner", pruner, () => pruner.stop());

  const index = new FilterIndex({
    database,
    log,
    lag: (events) => metrics.indexLag.set(events),
    isPaused: deps.indexPaused,
  });
  start("filter_index", {
    delayMs: INDEX_DELAY_MS,
    initialDelayMs: INDEX_DELAY_MS,
    run: (signal) => index.run(signal),
  });
  const trees = new TreeBuilder({
    database,
    grown,
    log,
    lag: (events) => metrics.treeLag.set(events),
    mismatched: (chains) => metrics.treeMismatches.inc(chains),
  });
  start("trees", {
    delayMs: TREES_DELAY_MS,
    initialDelayMs: TREES_DELAY_MS,
    run: (signal) => trees.run(signal),
  });
  const epochs = newEpochCloser(deps);
  start("epochs", { delayMs: EPOCHS_DELAY_MS, run: () => epochs.run() });
  const thinning = new LogThinning({ clock: deps.epochs.clock, database });
  start("log_thinning", {
    delayMs: THINNING_DELAY_MS,
    initialDelayMs: THINNING_DELAY_MS,
    run: (signal) => thinning.run(signal),
  });
  const availability = new Availability({
    database,
    unavailable: (share) => metrics.unavailableAccounts.set(share),
  });
  start("availability", { delayMs: AVAILABILITY_DELAY_MS, run: () => availability.run() });
  if (deps.verifyIntervalHours === 0) return;
  const scheduled = new ScheduledVerification({
    ...deps,
    intervalHours: deps.verifyIntervalHours,
    nowMs: Date.now,
  });
  start("verification", { delayMs: PASS_DELAY_MS, run: (signal) => scheduled.run(signal) });
}

function newEpochCloser({
  database,
  epochs,
  log,
  metrics,
}: Pick<WorkersDeps, "database" | "epochs" | "log" | "metrics">): EpochCloser {
  metrics.epochInterval.set(epochs.intervalS);
  return new EpochCloser({
    ...epochs,
    database,
    log,
    metrics: {
      age: (seconds) => metrics.epochAge.set(seconds),
      duration: (seconds) => metrics.epochDuration.observe(seconds),
      rolledBack: () => metrics.rollbacks.inc(),
    },
  });
}
