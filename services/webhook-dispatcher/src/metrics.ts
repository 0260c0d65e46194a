// The metrics of the webhook dispatcher, besides those that every service has.

import {
  Counter,
  DURATION_BUCKETS_S,
  Gauge,
  Histogram,
  logAnchorLag,
  type Registry,
  rowsSwept,
  workerFailures,
} from "@annals/chassis";
import { SINK_TYPE_NAMES } from "@annals/interface";
import { NOTICE_KINDS } from "@annals/messaging";

export const ATTEMPT_OUTCOMES = [
  "success",
  "refused",
  "timeout",
  "connection",
  "tls",
  "invalid_response",
  "address",
] as const;

export const WITNESS_OUTCOMES = [
  "cosigned",
  "conflict",
  "inconsistent",
  "refused",
  "failed",
  "invalid",
] as const;

const SINK_OUTCOMES = [
  "accepted",
  "refused",
  "timeout",
  "connection",
  "tls",
  "invalid_response",
  "address",
] as const;

export type Metrics = ReturnType<typeof createMetrics>;

/** Buckets in seconds, from on time to far beyond the five that the interface allows. */
const LATENESS_BUCKETS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300];

export function createMetrics(registry: Registry) {
  const failures = workerFailures(registry);
  const metrics = {
    /** outcome: one of ATTEMPT_OUTCOMES. */
    attempts: new Histogram({
      name: "annals_webhook_attempt_duration_seconds",
      help:
        "Time of a delivery attempt, by outcome: success, refused (a status that is not 2xx), timeout, " +
        "connection, tls, invalid_response (not HTTP), address (a forbidden one).",
      labelNames: ["outcome"],
      buckets: DURATION_BUCKETS_S,
      registers: [registry],
    }),
    lateness: new Histogram({
      name: "annals_webhook_attempt_lateness_seconds",
      help: "Time from when an attempt was due to when it was claimed.",
      buckets: LATENESS_BUCKETS_S,
      registers: [registry],
    }),
    inFlight: new Gauge({
      name: "annals_webhook_attempts_in_flight",
      help: "Delivery attempts in flight in this process.",
      registers: [registry],
    }),
    ...claimMetrics(registry),
    ...anchorMetrics(registry),
    ...fanOutMetrics(registry),
    ...backlogMetrics(registry),
    ...sinkMetrics(registry),
    /**
     * worker: anchors, audit, bucket_anchor, checkpoints, clean_up, deliveries, fan_out, measuring,
     * request_sweep, sinks, subscription_cache, sweep.
     */
    failures,
    swept: rowsSwept(registry),
  };
  // An alert on the increase sees the first one only if the series existed before it.
  for (const outcome of ATTEMPT_OUTCOMES) metrics.attempts.zero({ outcome });
  for (const outcome of WITNESS_OUTCOMES) metrics.witnessRequests.inc({ outcome }, 0);
  metrics.anchorLag.reset();
  for (const kind of [...NOTICE_KINDS, "checkpoints"])
    for (const each of [metrics.fannedOut, metrics.dropped]) each.inc({ kind }, 0);
  for (const kind of NOTICE_KINDS) metrics.sweepFinds.inc({ kind }, 0);
  for (const worker of ["deliveries", "fan_out", "sinks"]) failures.inc({ worker }, 0);
  return metrics;
}

function claimMetrics(registry: Registry) {
  const registers = [registry];
  return {
    lostLeases: new Counter({
      name: "annals_webhook_leases_lost_total",
      help: "Results that were not stored because the lease had expired and another claim holds the delivery.",
      registers,
    }),
    interrupted: new Counter({
      name: "annals_webhook_deliveries_interrupted_total",
      help: "Deliveries that failed because each process that sent them ended, or could not store the result.",
      registers,
    }),
    abandoned: new Counter({
      name: "annals_webhook_claims_abandoned_total",
      help: "Claimed deliveries that were released unattempted, because the claim took too long or the process is draining.",
      registers,
    }),
    unread: new Counter({
      name: "annals_webhook_events_unread_total",
      help: "Deliveries that were released unattempted, because the ledger did not return their event.",
      registers,
    }),
  };
}

/** Metrics that every replica reports for the whole installation: take the maximum. */
function backlogMetrics(registry: Registry) {
  const registers = [registry];
  return {
    pending: new Gauge({
      name: "annals_webhook_deliveries_pending",
      help: "Deliveries of all accounts with an attempt pending or in flight.",
      registers,
    }),
    oldestDue: new Gauge({
      name: "annals_webhook_oldest_due_seconds",
      help: "Time since the oldest pending delivery was due, attempts in flight included; 0 if none is due.",
      registers,
    }),
    /** state: healthy, failing, disabled, inactive. */
    webhooks: new Gauge({
      name: "annals_webhooks",
      help:
        "Webhooks by state: healthy (no failure since the last success), failing, disabled (by the service), " +
        "inactive (by its owner).",
      labelNames: ["state"],
      registers,
    }),
    failingLongest: new Gauge({
      name: "annals_webhook_failing_longest_seconds",
      help: "Time since the first failed attempt of the webhook that has failed longest; 0 if none is failing.",
      registers,
    }),
    /** kind: events, verifications, exports. */
    outboxLag: new Gauge({
      name: "annals_outbox_lag_entries",
      help: "Outbox entries and events that have not become deliveries yet, by kind: events, verifications, exports.",
      labelNames: ["kind"],
      registers,
    }),
    /** kind: events, verifications, exports. */
    outboxLagSeconds: new Gauge({
      name: "annals_outbox_lag_seconds",
      help: "Longest time that entries of an account have waited without progress of its cursor, by kind: events, verifications, exports.",
      labelNames: ["kind"],
      registers,
    }),
  };
}

function sinkMetrics(registry: Registry) {
  const registers = [registry];
  const metrics = {
    /** type: one of SINK_TYPE_NAMES; outcome: one of SINK_OUTCOMES. */
    sinkBatches: new Counter({
      name: "annals_sink_batches_total",
      help:
        "Batches that were sent to the receivers of sinks, by type and outcome: accepted, refused, timeout, " +
        "connection, tls, invalid_response, address (a forbidden one).",
      labelNames: ["type", "outcome"],
      registers,
    }),
    /** type: one of SINK_TYPE_NAMES. */
    sinkEvents: new Counter({
      name: "annals_sink_events_total",
      help: "Events that the receivers of sinks have acknowledged, by type.",
      labelNames: ["type"],
      registers,
    }),
    /** type: one of SINK_TYPE_NAMES. */
    sinkSkipped: new Counter({
      name: "annals_sink_skipped_events_total",
      help: "Events that their receivers refuse and that sinks passed over, by type of the sink.",
      labelNames: ["type"],
      registers,
    }),
    /** state: active, failing, paused. Like the next ones, reported by every replica for all. */
    sinks: new Gauge({
      name: "annals_sinks",
      help: "Sinks by state: active, failing (the last attempt failed), paused (by its owner).",
      labelNames: ["state"],
      registers,
    }),
    sinkLag: new Gauge({
      name: "annals_sink_lag_events",
      help: "Events after the cursor of the sink that is furthest behind.",
      registers,
    }),
    sinkLagSeconds: new Gauge({
      name: "annals_sink_lag_seconds",
      help: "Longest time that the cursor of a sink has not moved while events wait for it.",
      registers,
    }),
  };
  for (const type of SINK_TYPE_NAMES) {
    for (const outcome of SINK_OUTCOMES) metrics.sinkBatches.inc({ type, outcome }, 0);
    metrics.sinkEvents.inc({ type }, 0);
    metrics.sinkSkipped.inc({ type }, 0);
  }
  return metrics;
}

function anchorMetrics(registry: Registry) {
  return {
    /** kind: witness, timestamp, bucket. */
    anchorLag: logAnchorLag(registry),
    /** outcome: one of WITNESS_OUTCOMES. */
    witnessRequests: new Counter({
      name: "annals_log_witness_requests_total",
      help:
        "Requests to witnesses of the log, by outcome: cosigned, conflict (the witness has seen another size), " +
        "inconsistent (what it has seen does not lead to the checkpoint), " +
        "refused, failed (no answer in time, too large a one, or status 5xx), invalid (the ledger refuses it).",
      labelNames: ["outcome"],
      registers: [registry],
    }),
  };
}

function fanOutMetrics(registry: Registry) {
  return {
    /** kind: events, verifications, exports, checkpoints. */
    fannedOut: new Counter({
      name: "annals_webhook_deliveries_made_total",
      help: "Deliveries created, by kind: events, verifications, exports, checkpoints.",
      labelNames: ["kind"],
      registers: [registry],
    }),
    /** kind: events, verifications, exports, checkpoints. */
    dropped: new Counter({
      name: "annals_webhook_deliveries_dropped_total",
      help:
        "Deliveries that were not created because the account had too many pending, by kind: events, " +
        "verifications, exports, checkpoints.",
      labelNames: ["kind"],
      registers: [registry],
    }),
    disabled: new Counter({
      name: "annals_webhook_disabled_total",
      help: "Webhooks that were disabled because their receivers failed for days.",
      registers: [registry],
    }),
    /** kind: events, verifications, exports. */
    sweepFinds: new Counter({
      name: "annals_webhook_sweep_finds_total",
      help: "Accounts that the sweep found behind, by kind: events, verifications, exports. A high rate means lost notices.",
      labelNames: ["kind"],
      registers: [registry],
    }),
  };
}
