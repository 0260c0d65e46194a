// What the metrics of a process say is wrong, as sentences. Called by status.ts.

import type { Sample } from "./read-metrics.ts";

const MS_PER_DAY = 86_400_000;
const S_PER_HOUR = 3_600;
/** The thresholds of the alerts in docs/operators/alerts.md. */
const EXPIRY_DAYS = 14;
const MAX_INDEX_LAG_EVENTS = 204_800;
const MAX_TREE_LAG_EVENTS = 100_000;
const MAX_EPOCH_INTERVALS = 3;

type Problem = (sample: Sample, at: Context) => string | undefined;

interface Context {
  readonly now: Date;
  /** Seconds between two epochs of the log of evidence. */
  readonly epochInterval: number;
}

const PROBLEMS = new Map<string, Problem>([
  [
    "annals_chain_invariant_broken_total",
    ({ value }) =>
      unless(
        value === 0,
        "a chain is broken: see docs/operators/alerts-ledger.md#a-chain-is-broken",
      ),
  ],
  [
    "annals_index_lag_events",
    ({ value }) =>
      unless(value <= MAX_INDEX_LAG_EVENTS, `the filter index is ${value} events behind`),
  ],
  [
    "annals_log_tree_mismatch_total",
    ({ value }) =>
      unless(
        value === 0,
        "a tree does not fit its chain: see docs/operators/alerts-ledger.md#tree-mismatch",
      ),
  ],
  [
    "annals_log_tree_lag_events",
    ({ value }) =>
      unless(
        value <= MAX_TREE_LAG_EVENTS,
        `the trees of the log are ${value} events behind: see docs/operators/alerts-ledger.md#trees-behind`,
      ),
  ],
  [
    "annals_log_rollback_total",
    ({ value }) =>
      unless(
        value === 0,
        "the log of evidence went back: see docs/operators/alerts-ledger.md#log-rolled-back",
      ),
  ],
  [
    // An hour is the longest wait if no chain grows.
    "annals_log_epoch_age_seconds",
    ({ value }, { epochInterval }) =>
      unless(
        value <= S_PER_HOUR + MAX_EPOCH_INTERVALS * epochInterval,
        `the log has had no epoch for ${Math.round(value)} s: see docs/operators/alerts-ledger.md#epochs-behind`,
      ),
  ],
  [
    "annals_log_anchor_lag_seconds",
    ({ labels, value }) =>
      unless(
        value <= S_PER_HOUR,
        `an anchor of the log (${labels["kind"]}) is overdue by ${Math.round(value)} s: ` +
          "see docs/operators/alerts-ledger.md#anchors-behind",
      ),
  ],
  [
    "annals_tls_certificate_expiry_timestamp_seconds",
    ({ labels, value }, { now }) => {
      const expiry = new Date(value * 1_000);
      const isFar = expiry.getTime() - now.getTime() >= EXPIRY_DAYS * MS_PER_DAY;
      return unless(isFar, `${labels["certificate"]} certificate expires ${expiry.toISOString()}`);
    },
  ],
]);

export function measuredProblems(samples: readonly Sample[], now: Date): string[] {
  const interval = samples.find(({ name }) => name === "annals_log_epoch_interval_seconds");
  const context = { now, epochInterval: interval?.value ?? 0 };
  return samples.flatMap((sample) => PROBLEMS.get(sample.name)?.(sample, context) ?? []);
}

function unless(isFine: boolean, problem: string): string | undefined {
  return isFine ? undefined : problem;
}
