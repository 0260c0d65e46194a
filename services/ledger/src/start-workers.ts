// Starts what the ledger does in the background, in loops that end with the process. Called by serve.ts.

import {
  type Closers,
  type Counter,
  type LoopOptions,
  type RestingLoop,
  startResting,
} from "@annals/chassis";
import type { DatabaseClock } from "@annals/contract";
import { type Pool, startOutboxPruner, startRequestSweep } from "@annals/postgres";
import type { AppendQueue } from "./append/append-queue.ts";
import type { GrownChains, Work } from "./append/grown-chains.ts";
import type { ErasureCopies } from "./erasures/rules/erasure-copies.ts";
import type { Metrics } from "./metrics.ts";
import { plansOf, type PlanReads } from "./retention/plan-retention.ts";
import { OUTBOX } from "./store/outbox.ts";
import { REQUESTS } from "./store/requests.ts";
import type { SearchTurns } from "./search/search-turns.ts";
import type { BlockChecker } from "./verify/block-checker.ts";
import { Availability, DELAY_MS as AVAILABILITY_DELAY_MS } from "./append/worker/availability.ts";
import { EpochCloser, type EpochCloserDeps } from "./log/worker/epoch-closer.ts";
import { DELAY_MS as EPOCHS_DELAY_MS, EpochSilence } from "./log/worker/epoch-silence.ts";
import { startErasureMeasuring } from "./erasures/worker/erasure-measuring.ts";
import { DELAY_MS as ERASURES_DELAY_MS, Erasures } from "./erasures/worker/erasures.ts";
import { DELAY_MS as FIELDS_DELAY_MS, FieldIndex } from "./search/worker/field-index.ts";
import { DELAY_MS as INDEX_DELAY_MS, FilterIndex } from "./search/worker/filter-index.ts";
import { startIdempotencySweep } from "./append/worker/idempotency-sweep.ts";
import { DELAY_MS as THINNING_DELAY_MS, LogThinning } from "./log/worker/log-thinning.ts";
import {
  DELAY_MS as RETENTION_DELAY_MS,
  INITIAL_DELAY_MS as RETENTION_INITIAL_DELAY_MS,
  Retention,
} from "./retention/worker/retention.ts";
import { PASS_DELAY_MS, ScheduledVerification } from "./verify/worker/scheduled-verification.ts";
import { DELAY_MS as TREES_DELAY_MS, TreeBuilder } from "./log/worker/tree-builder.ts";
import { DELAY_MS as VACUUM_DELAY_MS, Vacuum, type VacuumDeps } from "./erasures/worker/vacuum.ts";

interface WorkersDeps extends Pick<LoopOptions, "failures" | "log"> {
  readonly appends: AppendQueue;
  readonly blocks: BlockChecker;
  readonly closers: Closers;
  readonly database: Pool;
  /** Decides what is old enough to be deleted. */
  readonly databaseClock: DatabaseClock;
  readonly epochs: Pick<
    EpochCloserDeps,
    "clock" | "closer" | "intervalS" | "keys" | "origin" | "policy"
  > & { readonly keys: PlanReads };
  readonly erasureCopies: ErasureCopies;
  readonly grown: GrownChains;
  readonly idempotencyHours: number;
  readonly metrics: Metrics;
  readonly random: (size: number) => Uint8Array;
  readonly searches: SearchTurns;
  readonly swept: Pick<Counter<"kind">, "inc">;
  readonly vacuumTables: VacuumDeps["vacuumTables"];
  /** 0: no scheduled verification. */
  readonly verifyIntervalHours: number;
}

interface Started extends Pick<LoopOptions, "delayMs" | "initialDelayMs" | "run"> {
  /** What wakes the loop when it rests. */
  readonly follows?: Work;
}

type Start = (name: string, options: Started) => RestingLoop;

export function startWorkers({ closers, ...deps }: WorkersDeps): void {
  const { database, failures, grown, log, metrics } = deps;
  const start: Start = (name, { follows, ...options }) => {
    const loop = startResting({ name, failures, log, ...options });
    if (follows) grown.onReady(follows, () => loop.expectWork());
    closers.addWorker(name.replace("_", " "), loop);
    return loop;
  };
  // What deletes by age goes by the clock of the database.
  const agreed = { ...deps, clock: deps.databaseClock };
  const sweep = startIdempotencySweep(agreed);
  closers.addWorker("idempotency sweep", sweep);
  closers.addWorker("request sweep", startRequestSweep(REQUESTS, agreed));
  const pruner = startOutboxPruner(OUTBOX, agreed);
  closers.addWorker("outbox pruner", pruner);

  startIndexes(deps, start);
  const trees = new TreeBuilder({
    database,
    grown,
    log,
    lag: (events) => metrics.treeLag.set(events),
    mismatched: (chains) => metrics.treeMismatches.inc(chains),
  });
  start("trees", {
    delayMs: TREES_DELAY_MS,
    follows: "trees",
    initialDelayMs: TREES_DELAY_MS,
    run: (signal) => trees.run(signal),
  });
  startEpochs(deps, start);
  const thinning = new LogThinning({ clock: deps.databaseClock, database });
  start("log_thinning", {
    delayMs: THINNING_DELAY_MS,
    initialDelayMs: THINNING_DELAY_MS,
    run: (signal) => thinning.run(signal),
  });
  startLifecycles({ closers, ...deps }, start);
  const availability = new Availability({
    database,
    unavailable: (share) => metrics.unavailableAccounts.set(share),
  });
  start("availability", { delayMs: AVAILABILITY_DELAY_MS, run: () => availability.run() });
  if (deps.verifyIntervalHours === 0) return;
  const scheduled = newScheduledVerification(deps);
  start("verification", { delayMs: PASS_DELAY_MS, run: (signal) => scheduled.run(signal) });
}

/** The filter index of all chains, and of fields that accounts declare. */
function startIndexes(
  { database, grown, log, metrics }: Pick<WorkersDeps, "database" | "grown" | "log" | "metrics">,
  start: Start,
): void {
  const index = new FilterIndex({
    database,
    grown,
    log,
    lag: (events) => metrics.indexLag.set(events),
  });
  start("filter_index", {
    delayMs: INDEX_DELAY_MS,
    follows: "index",
    initialDelayMs: INDEX_DELAY_MS,
    run: (signal) => index.run(signal),
  });
  const fields = new FieldIndex({
    database,
    log,
    lag: (events) => metrics.fieldLag.set(events),
  });
  start("field_index", {
    delayMs: FIELDS_DELAY_MS,
    follows: "fields",
    initialDelayMs: FIELDS_DELAY_MS,
    run: (signal) => fields.run(signal),
  });
}

/** An append ends the rest of the worker that closes epochs, if it rests. */
function startEpochs(deps: Omit<WorkersDeps, "closers">, start: Start): void {
  const silence = new EpochSilence();
  const epochs = newEpochCloser({ ...deps, silence });
  const loop = start("epochs", { delayMs: EPOCHS_DELAY_MS, run: () => epochs.run() });
  deps.grown.onReady("epochs", () => {
    if (silence.end()) loop.expectWork();
  });
}

/** Starts what changes stored events. */
function startLifecycles(deps: WorkersDeps, start: Start): void {
  startErasureMeasuring(deps);
  const erasures = newErasures(deps);
  start("erasures", { delayMs: ERASURES_DELAY_MS, run: (signal) => erasures.run(signal) });
  const vacuum = new Vacuum(deps);
  start("vacuum", { delayMs: VACUUM_DELAY_MS, run: (signal) => vacuum.run(signal) });
  const retention = newRetention(deps);
  start("retention", {
    delayMs: RETENTION_DELAY_MS,
    initialDelayMs: RETENTION_INITIAL_DELAY_MS,
    run: (signal) => retention.run(signal),
  });
}

function newErasures(deps: Omit<WorkersDeps, "closers">): Erasures {
  return new Erasures({ ...deps, clock: deps.epochs.clock, copies: deps.erasureCopies });
}

function newRetention({
  databaseClock: clock,
  epochs: { keys },
  metrics,
  ...deps
}: Omit<WorkersDeps, "closers">): Retention {
  return new Retention({
    ...deps,
    clock,
    nowMs: () => performance.now(),
    plansOf: (accountIds) => plansOf(keys, accountIds),
    deleted: (events) => metrics.eventsDeleted.inc(events),
    held: (holds) => metrics.holdsActive.set(holds),
    lag: (seconds) => metrics.retentionLag.set(seconds),
  });
}

function newScheduledVerification(deps: Omit<WorkersDeps, "closers">): ScheduledVerification {
  const { verifyIntervalHours: intervalHours } = deps;
  return new ScheduledVerification({ ...deps, intervalHours, nowMs: () => performance.now() });
}

function newEpochCloser({
  database,
  epochs,
  grown,
  log,
  metrics,
  silence,
}: Pick<WorkersDeps, "database" | "epochs" | "grown" | "log" | "metrics"> &
  Pick<EpochCloserDeps, "silence">): EpochCloser {
  metrics.epochInterval.set(epochs.intervalS);
  return new EpochCloser({
    ...epochs,
    database,
    grown,
    log,
    silence,
    metrics: {
      age: (seconds) => metrics.epochAge.set(seconds),
      duration: (seconds) => metrics.epochDuration.observe(seconds),
      rolledBack: () => metrics.rollbacks.inc(),
    },
  });
}
