// The names that packages/sdk-python gives to the routes: noun, verb, operation. Used by python-resources.ts.

/**
 * What a method returns: the member `data` of the body, the body, a text, bytes, the response itself, or
 * pages, of which those of `heads` have no cursor.
 */
export type Shape = "data" | "json" | "text" | "bytes" | "response" | "nothing" | "list" | "heads";

/** What the document does not say of a method. */
interface Hints {
  readonly shape?: Shape;
  readonly returns?: string;
  readonly path?: string;
  readonly summary?: string;
  readonly body?: string;
  readonly positional?: readonly { readonly name: string; readonly type: string }[];
  /** Members of the query that are always the same; an empty one is never sent. */
  readonly constants?: Readonly<Record<string, string>>;
}

type Verb = string | readonly [operation: string, hints: Hints];

const PROOF = { constants: { include: "proof" } };
const WITHOUT = { constants: { include: "" } };
const STREAM: Hints = { shape: "response", returns: "Response" };
const INDEX = { name: "index", type: "int" };
const WIDTH = { name: "width", type: "int | None" };

export const NOUNS: Readonly<Record<string, Readonly<Record<string, Verb>>>> = {
  events: {
    create: "create-event",
    create_many: [
      "create-event-batch",
      {
        body: '{"events": [*events]}',
        positional: [{ name: "events", type: "Sequence[m.NewBatchEvent]" }],
      },
    ],
    get: ["get-event", WITHOUT],
    get_with_proof: [
      "get-event",
      {
        ...PROOF,
        shape: "json",
        returns: "m.EventWithProof",
        summary: "Get an event with its proof",
      },
    ],
    list: "list-events",
  },
  intake: {
    kubernetes_audit: "store-kubernetes-audit",
    cloud_events: [
      "store-cloudevents",
      {
        body: "[*events]",
        positional: [{ name: "events", type: "Sequence[Mapping[str, Any]]" }],
      },
    ],
    otlp_logs: "store-otlp-logs",
  },
  log: {
    get: "get-log",
    checkpoint: ["read-checkpoint", { shape: "text", returns: "str" }],
    tile: [
      "read-tile",
      {
        shape: "bytes",
        returns: "bytes",
        path: 'f"/log/tile/{level:d}/{tile_index(index, width)}"',
        positional: [{ name: "level", type: "int" }, INDEX, WIDTH],
      },
    ],
    entries: [
      "read-entries",
      {
        shape: "bytes",
        returns: "bytes",
        path: 'f"/log/tile/entries/{tile_index(index, width)}"',
        positional: [INDEX, WIDTH],
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
    get: ["get-widget-event", { ...WITHOUT, shape: "json", returns: "m.WidgetEventWithProof" }],
    log: "get-widget-log",
    filters: "list-widget-filters",
  },
};
