// The operations that the interface leaves open, each with the mark of its choice in docs/interface.md.
// Read by operation.ts. An operation that is not here is one of the interface.

import { openDetail } from "../render/schema.ts";

type Mark = ReturnType<typeof openDetail>;

/** The route, and the delivery that it sends. */
export const WEBHOOK_TEST = openDetail("webhook-test");
const EXPORTS = openDetail("exports");
const SINKS = openDetail("sinks");
const WIDGET_TOKENS = openDetail("widget-tokens");
const WIDGET_ROUTES = openDetail("widget-routes");
const HOLDS = openDetail("holds");
const ERASURES = openDetail("erasures");
const ARCHIVES = openDetail("archives");
const ROLE_MAPPINGS = openDetail("role-mappings");
const WORKLOADS = openDetail("workloads");
const COUNTS = openDetail("counts");
const SEARCH_FIELDS = openDetail("search-fields");
const SAVED_SEARCHES = openDetail("saved-searches");
const RETENTION = openDetail("retention");
const INTAKE = openDetail("intake-routes");
const LOG_ROUTES = openDetail("log-routes");

const OPERATIONS: Readonly<Record<string, Mark>> = {
  "create-event-batch": openDetail("batch"),
  "list-events": openDetail("event-list"),
  "get-event": openDetail("one-event"),
  "count-events": COUNTS,
  "count-values": COUNTS,
  "count-widget-events": COUNTS,
  "count-widget-values": COUNTS,
  "verify-chain": openDetail("verification"),
  "create-export": EXPORTS,
  "list-exports": EXPORTS,
  "get-export": EXPORTS,
  "delete-export": EXPORTS,
  "get-export-content": EXPORTS,
  "test-webhook": WEBHOOK_TEST,
  "replay-delivery": openDetail("replay-delivery"),
  "replay-events": openDetail("replay-events"),
  "rotate-secret": openDetail("rotate-secret"),
  "create-sink": SINKS,
  "list-sinks": SINKS,
  "get-sink": SINKS,
  "update-sink": SINKS,
  "delete-sink": SINKS,
  "test-sink": SINKS,
  "replay-sink": SINKS,
  "skip-sink-record": SINKS,
  "get-sink-status": SINKS,
  "create-widget-token": WIDGET_TOKENS,
  "list-widget-tokens": WIDGET_TOKENS,
  "delete-widget-token": WIDGET_TOKENS,
  "get-usage": openDetail("usage"),
  "get-log": LOG_ROUTES,
  "read-checkpoint": LOG_ROUTES,
  "read-tile": LOG_ROUTES,
  "read-entries": LOG_ROUTES,
  "prove-inclusion": LOG_ROUTES,
  "prove-consistency": LOG_ROUTES,
  "list-heads": LOG_ROUTES,
  "get-widget-log": LOG_ROUTES,
  "create-erasure": ERASURES,
  "list-erasures": ERASURES,
  "get-erasure": ERASURES,
  "cancel-erasure": ERASURES,
  "place-hold": HOLDS,
  "list-holds": HOLDS,
  "release-hold": HOLDS,
  "get-retention": RETENTION,
  "set-retention": RETENTION,
  "create-role-mapping": ROLE_MAPPINGS,
  "list-role-mappings": ROLE_MAPPINGS,
  "delete-role-mapping": ROLE_MAPPINGS,
  "create-search-field": SEARCH_FIELDS,
  "list-search-fields": SEARCH_FIELDS,
  "delete-search-field": SEARCH_FIELDS,
  "list-search-paths": SEARCH_FIELDS,
  "create-saved-search": SAVED_SEARCHES,
  "list-saved-searches": SAVED_SEARCHES,
  "update-saved-search": SAVED_SEARCHES,
  "delete-saved-search": SAVED_SEARCHES,
  "list-people": openDetail("people"),
  "create-workload": WORKLOADS,
  "list-workloads": WORKLOADS,
  "delete-workload": WORKLOADS,
  "list-archives": ARCHIVES,
  "get-archive-events": ARCHIVES,
  "get-archive-evidence": ARCHIVES,
  "store-kubernetes-audit": INTAKE,
  "store-cloudevents": INTAKE,
  "store-otlp-logs": INTAKE,
  "list-widget-events": WIDGET_ROUTES,
  "get-widget-event": WIDGET_ROUTES,
  "list-widget-filters": WIDGET_ROUTES,
};

/** The mark of an operation; undefined if the interface shows it. */
export function openOperation(name: string): Mark | undefined {
  return OPERATIONS[name];
}
