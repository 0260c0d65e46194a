// The names that packages/sdk-python and packages/sdk-go give to the routes: noun, verb, operation. Used by
// python-resources.ts and go-resources.ts.

/**
 * What a method returns: the member `data` of the body, the body, a text, bytes, the body to be read, or
 * pages, of which those of `heads` have no cursor.
 */
export type Shape = "data" | "json" | "text" | "bytes" | "stream" | "nothing" | "list" | "heads";

/** What the document does not say of a method. */
export interface Hints {
  readonly shape?: Shape;
  /** A type of the SDK. */
  readonly returns?: string;
  readonly summary?: string;
  readonly mediaType?: string;
  /** The member of this name of the query is always this. Empty: it is never sent. */
  readonly include?: "" | "proof";
  readonly python?: PythonHints;
  readonly go?: GoHints;
}

/** Expressions of Python, in place of the path with its ids and of the parameter `body`. */
interface PythonHints {
  readonly path?: string;
  readonly body?: string;
  readonly positional?: readonly { readonly name: string; readonly type: string }[];
}

/** The same of Go. */
interface GoHints {
  readonly path?: string;
  readonly body?: string;
  readonly parameters?: readonly string[];
}

export interface Verb {
  readonly verb: string;
  readonly operation: string;
  readonly hints: Hints;
}

type Given = string | readonly [operation: string, hints: Hints];

const STREAM: Hints = { shape: "stream" };
const INDEX = { name: "index", type: "int" };
const WIDTH = { name: "width", type: "int | None" };

const NOUNS: Readonly<Record<string, Readonly<Record<string, Given>>>> = {
  events: {
    create: "create-event",
    create_many: [
      "create-event-batch",
      {
        python: {
          body: '{"events": [*events]}',
          positional: [{ name: "events", type: "Sequence[m.NewBatchEvent]" }],
        },
        go: { parameters: ["events []NewEvent"], body: 'map[string]any{"events": events}' },
      },
    ],
    get: ["get-event", { include: "" }],
    get_with_proof: [
      "get-event",
      {
        include: "proof",
        shape: "json",
        returns: "EventWithProof",
        summary: "Get an event with its proof",
      },
    ],
    list: "list-events",
    histogram: ["count-events", { shape: "json" }],
    facets: "count-values",
  },
  intake: {
    kubernetes_audit: "store-kubernetes-audit",
    cloud_events: [
      "store-cloudevents",
      {
        mediaType: "application/cloudevents-batch+json",
        python: {
          body: "[*events]",
          positional: [{ name: "events", type: "Sequence[Mapping[str, Any]]" }],
        },
        go: { parameters: ["events []CloudEvent"], body: "events" },
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
        python: {
          path: 'f"/log/tile/{level:d}/{tile_index(index, width)}"',
          positional: [{ name: "level", type: "int" }, INDEX, WIDTH],
        },
        go: {
          path: '"/log/tile/" + strconv.Itoa(level) + "/" + tileIndex(index, width)',
          parameters: ["level int", "index int64", "width int"],
        },
      },
    ],
    entries: [
      "read-entries",
      {
        shape: "bytes",
        python: {
          path: 'f"/log/tile/entries/{tile_index(index, width)}"',
          positional: [INDEX, WIDTH],
        },
        go: {
          path: '"/log/tile/entries/" + tileIndex(index, width)',
          parameters: ["index int64", "width int"],
        },
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
    paths: "list-search-paths",
  },
  searches: {
    create: "create-saved-search",
    list: "list-saved-searches",
    update: "update-saved-search",
    delete: "delete-saved-search",
  },
  people: { list: "list-people" },
  workloads: { create: "create-workload", list: "list-workloads", delete: "delete-workload" },
  verify: { chain: "verify-chain" },
  widget: {
    list: "list-widget-events",
    get: ["get-widget-event", { include: "", shape: "json", returns: "WidgetEventWithProof" }],
    log: "get-widget-log",
    filters: "list-widget-filters",
    histogram: ["count-widget-events", { shape: "json" }],
    facets: "count-widget-values",
  },
};

/** The nouns with their verbs, of which each route of the document has one. Throws for one that has none. */
export function nounsOf(operations: readonly string[]): { noun: string; verbs: Verb[] }[] {
  const left = new Set(operations);
  const nouns = Object.entries(NOUNS).map(([noun, given]) => {
    const verbs = Object.entries(given).map(([verb, each]) => {
      const [operation, hints] = typeof each === "string" ? [each, {}] : each;
      left.delete(operation);
      return { verb, operation, hints };
    });
    return { noun, verbs };
  });
  if (left.size > 0) throw new Error(`nouns.ts has no method for ${[...left].join(", ")}`);
  return nouns;
}
