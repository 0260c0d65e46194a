// The metrics of the ledger, besides those that every service has. Made once by serve.ts.

import { Counter, Gauge, Histogram, logRollbacks, type Registry } from "@annals/chassis";
import { batcherMetrics } from "@annals/rpc";
import { AUDIT_FAULTS, AUDIT_SERVICES } from "@annals/contract";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const metrics = {
    auditRefused: new Counter({
      name: "annals_audit_refused_total",
      help: "Audit entries refused because their service may not record them, by caller and fault: action, actor, occurred_at, size, form.",
      labelNames: ["caller", "fault"],
      registers: [registry],
    }),
    batcher: batcherMetrics(registry),
    flushes: new Histogram({
      name: "annals_append_group_size",
      help: "Events that are stored together on one chain: how well concurrent appends share commits.",
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000],
      registers: [registry],
    }),
    indexLag: new Gauge({
      name: "annals_index_lag_events",
      help: "Events of all chains, in complete chunks of 4,096, that are not in the filter index yet.",
      registers: [registry],
    }),
    fieldLag: new Gauge({
      name: "annals_search_backfill_lag_events",
      help: "Events that the filter index lacks of declared fields, of all fields of all accounts together.",
      registers: [registry],
    }),
    ...treeMetrics(registry),
    ...epochMetrics(registry),
    brokenChains: new Counter({
      name: "annals_chain_invariant_broken_total",
      help: "Appends refused because the chain does not continue at its head. Investigate any increase.",
      registers: [registry],
    }),
    ...verificationMetrics(registry),
    ...erasureMetrics(registry),
    ...retentionMetrics(registry),
    unavailableAccounts: new Gauge({
      name: "annals_accounts_unavailable_ratio",
      help: "Share of all accounts, from 0 to 1, that PostgreSQL cannot serve now.",
      registers: [registry],
    }),
  };
  // These are absent until they are measured.
  metrics.indexLag.remove();
  metrics.fieldLag.remove();
  metrics.treeLag.remove();
  metrics.epochAge.remove();
  metrics.oldestVerification.remove();
  metrics.retentionLag.remove();
  metrics.holdsActive.remove();
  metrics.unverified.remove();
  metrics.verifyInterval.remove();
  // An alert on the increase sees the first one only if the series existed before it.
  for (const caller of [...AUDIT_SERVICES, "unknown"])
    for (const fault of AUDIT_FAULTS) metrics.auditRefused.inc({ caller, fault }, 0);
  metrics.erasuresUnrecorded.inc(0);
  metrics.verifications.inc({ result: "valid" }, 0);
  metrics.verifications.inc({ result: "invalid" }, 0);
  metrics.verifications.inc({ result: "refused" }, 0);
  return metrics;
}

function treeMetrics(registry: Registry) {
  return {
    treeLag: new Gauge({
      name: "annals_log_tree_lag_events",
      help: "Events of the chains that have 256 or more of them which are not in the tree of their account.",
      registers: [registry],
    }),
    treeMismatches: new Counter({
      name: "annals_log_tree_mismatch_total",
      help: "Trees that do not fit their chain. Investigate any increase.",
      registers: [registry],
    }),
  };
}

function epochMetrics(registry: Registry) {
  return {
    epochAge: new Gauge({
      name: "annals_log_epoch_age_seconds",
      help: "Time since the newest epoch of the log.",
      registers: [registry],
    }),
    epochInterval: new Gauge({
      name: "annals_log_epoch_interval_seconds",
      help: "Seconds from one epoch of the log to the next in which a chain grew.",
      registers: [registry],
    }),
    epochDuration: new Histogram({
      name: "annals_log_epoch_duration_seconds",
      help: "Time from the beginning of an epoch of the log until it is stored.",
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
      registers: [registry],
    }),
    rollbacks: logRollbacks(registry),
  };
}

function retentionMetrics(registry: Registry) {
  return {
    retentionLag: new Gauge({
      name: "annals_retention_lag_seconds",
      help: "Longest time since the daily deletion of an account was due, if no hold stops it.",
      registers: [registry],
    }),
    eventsDeleted: new Counter({
      name: "annals_events_deleted_total",
      help: "Events that retention has deleted.",
      registers: [registry],
    }),
    holdsActive: new Gauge({
      name: "annals_holds_active",
      help: "Active holds of all accounts.",
      registers: [registry],
    }),
  };
}

function verificationMetrics(registry: Registry) {
  return {
    oldestVerification: new Gauge({
      name: "annals_chain_verification_oldest_seconds",
      help: "Longest time since the last successful scheduled verification of a chain.",
      registers: [registry],
    }),
    unverified: new Gauge({
      name: "annals_chains_unverified",
      help: "Chains without a successful scheduled verification.",
      registers: [registry],
    }),
    verifyInterval: new Gauge({
      name: "annals_chain_verification_interval_seconds",
      help: "Time between two scheduled verifications of a chain.",
      registers: [registry],
    }),
    verifications: new Counter({
      name: "annals_verifications_total",
      help: "Finished verifications of a chain, by result: valid, invalid, or refused because a table may hide events.",
      labelNames: ["result"],
      registers: [registry],
    }),
  };
}

function erasureMetrics(registry: Registry) {
  return {
    /** state: pending, running, copies. */
    erasuresOpen: new Gauge({
      name: "annals_erasures_open",
      help:
        "Erasures that have not ended, by state: pending, running, copies (stored events no longer have the " +
        "values, another service may).",
      labelNames: ["state"],
      registers: [registry],
    }),
    oldestErasure: new Gauge({
      name: "annals_erasure_oldest_seconds",
      help: "Longest time since an erasure that has not ended might begin.",
      registers: [registry],
    }),
    unvacuumed: new Gauge({
      name: "annals_erasure_unvacuumed_seconds",
      help: "Longest time for which erased values may have been in old rows of the tables.",
      registers: [registry],
    }),
    erasuresUnrecorded: new Counter({
      name: "annals_erasures_unrecorded_total",
      help: "Scheduled verifications that found an erased part without a record. Investigate any increase.",
      registers: [registry],
    }),
  };
}
