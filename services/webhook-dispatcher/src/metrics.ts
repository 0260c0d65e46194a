// The metrics of the webhook dispatcher, besides those that every service has.

import {
  Counter,
  DURATION_BUCKETS_S,
  Gauge,
  Histogram,
  type Registry,
  workerFailures,
} from "@annals/chassis";

export type Metrics = ReturnType<typeof createMetrics>;

/** Seconds: from on time to far beyond the five that the interface allows. */
const LATENESS_BUCKETS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300];

export function createMetrics(registry: Registry) {
  const failures = workerFailures(registry);
  return {
    /** outcome: one of ATTEMPT_OUTCOMES. */
    attempts: new Histogram({
      name: "annals_webhook_attempt_duration_seconds",
      help:
        "Time of a delivery attempt, by outcome: success, refused (a status that is not 2xx), timeout, " +
        "connection, tls, answer (a response that is not HTTP), address (a forbidden one).",
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
      help: "Delivery attempts under way in this process.",
      registers: [registry],
    }),
    lostLeases: new Counter({
      name: "annals_webhook_leases_lost_total",
      help: "Results that were not stored because the lease had ended and another claim holds the delivery.",
      registers: [registry],
    }),
    abandoned: new Counter({
      name: "annals_webhook_claims_abandoned_total",
      help: "Claimed deliveries that were released unattempted, because the claim took too long or the process drains.",
      registers: [registry],
    }),
    ...fanOutMetrics(registry),
    /** worker: audit, deliveries, fan_out, subscription_cache, sweep, clean_up. */
    failures,
    deprecatedFailures: deprecatedFailures(failures, registry),
  };
}

function fanOutMetrics(registry: Registry) {
  return {
    /** kind: events, verifications, exports. */
    fannedOut: new Counter({
      name: "annals_webhook_deliveries_made_total",
      help: "Deliveries created, by kind of the outbox entry: events, verifications, exports.",
      labelNames: ["kind"],
      registers: [registry],
    }),
    /** kind: events, verifications, exports. */
    dropped: new Counter({
      name: "annals_webhook_deliveries_dropped_total",
      help: "Deliveries that were not created because the account had too many pending, by kind: events, verifications, exports.",
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

/** The same values under the name that earlier releases have. */
function deprecatedFailures(failures: Counter<"worker">, registry: Registry): Counter<"worker"> {
  return new Counter({
    name: "annals_webhook_worker_failures_total",
    help: "Deprecated: the same as annals_worker_failures_total.",
    labelNames: ["worker"],
    registers: [registry],
    async collect() {
      this.reset();
      const { values } = await failures.get();
      for (const { labels, value } of values) this.inc(labels, value);
    },
  });
}
