// The metrics of the gateway, besides those that every service has.

import {
  Counter,
  DURATION_BUCKETS_S,
  Gauge,
  Histogram,
  type Registry,
  workerFailures,
} from "@annals/chassis";
import { batcherMetrics } from "@annals/rpc";

const RESOURCES = [
  ...(["requests", "unadmitted", "anonymous"] as const),
  ...(["bytes", "unread_bytes", "anonymous_bytes"] as const),
  ...(["downloads", "lists", "verifications", "head_log"] as const),
] as const;

/** What an account, an address, or all of them together, can have too much of. */
export type Resource = (typeof RESOURCES)[number];

const OTHER_REFUSALS = [
  ...(["unknown_keys", "pipeline", "slow_body", "slow_reader"] as const),
  "auth_rate",
  "head_log_rate",
] as const;

const INTAKE_SOURCES = ["kubernetes", "cloudevents", "otlp"] as const;
const INTAKE_OUTCOMES = ["stored", "replayed", "reduced", "skipped", "rejected"] as const;

/** What a route of intake takes its items from. */
export type IntakeSource = (typeof INTAKE_SOURCES)[number];
/** What became of an item. */
export type IntakeOutcome = (typeof INTAKE_OUTCOMES)[number];

/** Why a request was refused at the edge, or its client disconnected. */
export type Refusal = `${Resource}_${"share" | "total"}` | (typeof OTHER_REFUSALS)[number];

/** What the objectives are about: the appends, with the statuses of success and of failure. */
const APPENDS = ["/v1/events", "/v1/events/batch"].flatMap((http_route) =>
  ["201", "500"].map((http_response_status_code) => ({
    http_request_method: "POST",
    http_route,
    http_response_status_code,
  })),
);

interface RefusedRequest {
  readonly method?: string | undefined;
  readonly status: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const requestDuration = new Histogram({
    name: "http_server_request_duration_seconds",
    help:
      "Duration of a request, by method, route and status. An unknown path has the route `unmatched`, " +
      "a request beyond the limit of concurrent requests the route `refused`.",
    labelNames: ["http_request_method", "http_route", "http_response_status_code"],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  const refused = new Counter({
    name: "annals_edge_refusals_total",
    help:
      "Requests refused, and clients disconnected, to protect others, by reason: <resource>_share and <resource>_total, " +
      `with the resources ${RESOURCES.join(", ")}; and ${OTHER_REFUSALS.join(", ")}.`,
    labelNames: ["reason"],
    registers: [registry],
  });
  const held = new Gauge({
    name: "annals_edge_held",
    help: `Resources held by requests in flight, by resource: ${RESOURCES.join(", ")}.`,
    labelNames: ["resource"],
    registers: [registry],
    collect: () =>
      Object.entries(used()).forEach(([resource, count]) => held.set({ resource }, count)),
  });
  // An alert on the increase sees the first one only if the series exists before it.
  for (const labels of APPENDS) requestDuration.zero(labels);
  for (const reason of [
    ...RESOURCES.flatMap((one) => [`${one}_share`, `${one}_total`]),
    ...OTHER_REFUSALS,
  ])
    refused.inc({ reason }, 0);
  let used: () => Readonly<Partial<Record<Resource, number>>> = () => ({});
  return {
    refused: (reason: Refusal): void => refused.inc({ reason }),
    /** What the gauge of held resources asks. */
    watchHeld: (read: typeof used): void => {
      used = read;
    },
    batchers: batcherMetrics(registry),
    intakeItems: intakeItems(registry),
    intakeIgnored: intakeIgnored(registry),
    readsLost: readsLost(registry),
    /** worker: read_audit. */
    failures: workerFailures(registry),
    requestDuration,
    /** A request that was refused because too many were in flight. */
    onRefused: ({ method = "", status }: RefusedRequest): void => {
      const labels = { http_route: "refused", http_response_status_code: String(status) };
      requestDuration.observe({ http_request_method: method, ...labels }, 0);
    },
  };
}

/** Reads that were counted and recorded nowhere. */
function readsLost(registry: Registry) {
  const lost = new Counter({
    name: "annals_reads_unrecorded_total",
    help: "Reads that are missing in the operator's audit, because the ledger did not take their entries.",
    registers: [registry],
  });
  lost.inc(0);
  return lost;
}

/** Counts requests of intake of which a part was ignored. Only OTLP wants that, instead of a refusal. */
function intakeIgnored(registry: Registry) {
  const ignored = new Counter({
    name: "annals_intake_ignored_requests_total",
    help:
      "Requests of OpenTelemetry that had members which are not known in place of records: they succeed with a " +
      "message, and nothing of these parts is stored.",
    labelNames: ["source"],
    registers: [registry],
  });
  ignored.inc({ source: "otlp" }, 0);
  return (source: IntakeSource): void => ignored.inc({ source });
}

/** Counts items of intake. */
function intakeItems(registry: Registry) {
  const items = new Counter({
    name: "annals_intake_items_total",
    help:
      `Items that came by /v1/intake, by source (${INTAKE_SOURCES.join(", ")}) and outcome: ` +
      `${INTAKE_OUTCOMES.join(", ")}. What is reduced is stored, and counts as both.`,
    labelNames: ["source", "outcome"],
    registers: [registry],
  });
  for (const source of INTAKE_SOURCES)
    for (const outcome of INTAKE_OUTCOMES) items.inc({ source, outcome }, 0);
  return (source: IntakeSource, outcome: IntakeOutcome, count: number): void =>
    items.inc({ source, outcome }, count);
}
