// The names that packages/sdk-go gives to the routes: noun, verb, operation. Used by go-resources.ts.

/**
 * What a method returns: the member `data` of the body, the body, a text, bytes, the body to be read, or
 * pages, of which those of `heads` have no cursor.
 */
export type Shape = "data" | "json" | "text" | "bytes" | "stream" | "nothing" | "list" | "heads";

/** What the document does not say of a method. */
export interface Hints {
  readonly shape?: Shape;
  readonly returns?: string;
  readonly summary?: string;
  /** An expression of Go, in place of the path with its ids. */
  readonly path?: string;
  /** An expression of Go, in place of the parameter `body`. */
  readonly body?: string;
  readonly parameters?: readonly string[];
  readonly mediaType?: string;
  /** A member of the query that is always the same; null: the query is left out. */
  readonly query?: string | null;
}

type Verb = string | readonly [operation: string, hints: Hints];

const WITHOUT: Hints = { query: null };
const STREAM: Hints = { shape: "stream" };

export const NOUNS: Readonly<Record<string, Readonly<Record<string, Verb>>>> = {
  events: {
    create: "create-event",
    create_many: [
      "create-event-batch",
      { parameters: ["events []NewEvent"], body: 'map[string]any{"events": events}' },
    ],
    get: ["get-event", WITHOUT],
    get_with_proof: [
      "get-event",
      {
        query: "include=proof",
        shape: "json",
        returns: "EventWithProof",
        summary: "Get an event with its proof",
      },
    ],
    list: "list-events",
  },
  intake: {
    kubernetes_audit: ["store-kubernetes-audit", WITHOUT],
    cloud_events: [
      "store-cloudevents",
      {
        parameters: ["events []CloudEvent"],
        body: "events",
        mediaType: "application/cloudevents-batch+json",
      },
    ],
    otlp_logs: "store-otlp-logs",
  },
  log: {
    get: "get-log",
    checkpoint: ["read-checkpoint", { shape: "text" }],
    tile: [
      "read-tile",
      {
        shape: "bytes",
        parameters: ["level int", "index int64", "width int"],
        path: '"/log/tile/" + strconv.Itoa(level) + "/" + tileIndex(index, width)',
      },
    ],
    entries: [
      "read-entries",
      {
        shape: "bytes",
        parameters: ["index int64", "width int"],
        path: '"/log/tile/entries/" + tileIndex(index, width)',
      },
    ],
    inclusion: "prove-inclusion",
    consistency: "prove-consistency",
    heads: ["list-heads", { shape: "heads" }],
  },
  usage: { get: "get-usage" },
  exports: {
    create: "create-export",
    list: "list-exports",
    get: "get-export",
    content: ["get-export-content", STREAM],
    delete: "delete-export",
  },
  api_keys: {
    create: "create-api-key",
    list: "list-api-keys",
    update: "update-api-key",
    delete: "delete-api-key",
  },
  keys: { create: "create-key", delete: "delete-key" },
  webhooks: {
    create: "create-webhook",
    list: "list-webhooks",
    update: "update-webhook",
    delete: "delete-webhook",
    deliveries: "list-deliveries",
    test: "test-webhook",
    replay_delivery: "replay-delivery",
    replay_events: "replay-events",
    rotate_secret: "rotate-secret",
  },
  sinks: {
    create: "create-sink",
    list: "list-sinks",
    get: "get-sink",
    update: "update-sink",
    delete: "delete-sink",
    test: "test-sink",
    replay: "replay-sink",
    skip: "skip-sink-record",
    status: "get-sink-status",
  },
  widget_tokens: {
    create: "create-widget-token",
    list: "list-widget-tokens",
    delete: "delete-widget-token",
  },
  erasures: {
    create: "create-erasure",
    list: "list-erasures",
    get: "get-erasure",
    cancel: "cancel-erasure",
  },
  holds: { place: "place-hold", list: "list-holds", release: "release-hold" },
  retention: { get: "get-retention", set: "set-retention" },
  archives: {
    list: "list-archives",
    events: ["get-archive-events", STREAM],
    evidence: ["get-archive-evidence", STREAM],
  },
  role_mappings: {
    create: "create-role-mapping",
    list: "list-role-mappings",
    delete: "delete-role-mapping",
  },
  search_fields: {
    create: "create-search-field",
    list: "list-search-fields",
    delete: "delete-search-field",
  },
  people: { list: "list-people" },
  workloads: { create: "create-workload", list: "list-workloads", delete: "delete-workload" },
  verify: { chain: "verify-chain" },
  widget: {
    list: "list-widget-events",
    get: ["get-widget-event", { ...WITHOUT, shape: "json", returns: "WidgetEventWithProof" }],
    log: "get-widget-log",
    filters: "list-widget-filters",
  },
};
