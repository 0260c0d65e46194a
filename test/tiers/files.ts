// Which test files are not run as most are: what `npm test` leaves to `npm run test:outages`, which files
// that runs one at a time, which of the API run beside the flows, and which have a process of their own.
// Read by vitest.config.ts.

const flows = [
  "archive-versions",
  "chain-ledgers",
  "clocks",
  "crash",
  "evidence-exports",
  "exports-writers",
  "hostile-json",
  "key-last-use",
  "left-requests",
  "log-bucket",
  "log-fsck",
  "log-key",
  "log-restored",
  "log-rewritten",
  "notices",
  "otlp-exporters",
  "people-zitadel",
  "read-audit",
  "rest",
  "revocation-slow",
  "sdk-track",
  "time-stamps",
  "unavailable",
  "webhooks-checkpoints",
  "webhooks-crash-points",
  "webhooks-filter",
  "webhooks-isolation",
  "webhooks-nothing-lost",
  "webhooks-schedule",
  "witnesses",
];

const browser = [
  "console",
  "console-audit",
  "dashboard-account",
  "dashboard-actions",
  "dashboard-address",
  "dashboard-check",
  "dashboard-columns",
  "dashboard-fields",
  "dashboard-lifecycle",
  "dashboard-looks",
  "dashboard-overview",
  "dashboard-people",
  "dashboard-screens",
  "dashboard-session",
  "dashboard-sinks",
  "dashboard-workloads",
  "evidence-log",
  "examples",
  "package",
  "viewer-bounds",
  "viewer-counts",
  "viewer-erased",
  "viewer-filters",
  "viewer-looks",
  "viewer-tasks",
];

/** They fail when another test takes the CPU meanwhile, so each runs alone. */
export const TIMED: readonly string[] = [
  "test/api/edge/slow-clients.test.ts",
  "test/flows/crash.test.ts",
  "test/flows/hostile-json.test.ts",
  "test/flows/webhooks-nothing-lost.test.ts",
];

/**
 * What kills, stops or cuts off what it uses, what builds or fetches programs, the tools of others over the
 * OpenAPI document, and most of what has a browser.
 */
export const OUTAGES: readonly string[] = [
  ...flows.map((name) => `test/flows/${name}.test.ts`),
  ...browser.map((name) => `test/browser/${name}.test.ts`),
  "deploy/local/src/people.test.ts",
  "deploy/local/src/postgres.test.ts",
  "deploy/local/src/stack.test.ts",
  "deploy/local/src/start.test.ts",
  "deploy/release/release.test.ts",
  "libs/event/src/verifier-go.test.ts",
  "services/export/src/storage/storage.test.ts",
  "services/webhook-dispatcher/src/anchors/worker/bucket-anchor.test.ts",
  "services/webhook-dispatcher/src/sinks/types/s3/s3-receiver.test.ts",
  "test/api/edge/slow-clients.test.ts",
  "test/api/openapi/clients.test.ts",
  "test/api/openapi/linters.test.ts",
  "test/clients/go-calls.test.ts",
  "test/clients/go-checkpoints.test.ts",
  "test/clients/go-conformance.test.ts",
  "test/clients/go-module.test.ts",
  "test/clients/go-outbox.test.ts",
  "test/clients/go.test.ts",
  "test/clients/python-checkpoints.test.ts",
  "test/clients/python.test.ts",
  "test/clients/spool.test.ts",
  "test/command/checkout.test.ts",
  "test/sdk/package.test.ts",
  "test/verifiers/annals-verify-package.test.ts",
  "test/verifiers/other-readers.test.ts",
  "test/verifiers/parquet-readers.test.ts",
  "test/verifiers/producers-go.test.ts",
  "test/verifiers/sink-bucket.test.ts",
];

/** They use systems that flows share, so they run beside these: else the systems would wait for the flows. */
export const API_ON_SHARED: readonly string[] = [
  "test/api/plans/plan-errors.test.ts",
  "test/api/usage/daily-use.test.ts",
  "test/api/usage/export-bytes.test.ts",
];

/** They measure the memory or the CPU of their process, or set up what a process has once: tracing. */
export const ALONE: readonly string[] = [
  "libs/chassis/src/longest-turn.test.ts",
  "libs/chassis/src/tracing.test.ts",
  "libs/event/src/json/event-bytes-bounds.test.ts",
  "libs/event/src/json/read-json-bounds.test.ts",
  "libs/rpc/src/interceptors/interceptors.test.ts",
  "services/gateway/src/intake/read-otlp.test.ts",
  "services/webhook-dispatcher/src/outbound/sender-size.test.ts",
  "services/webhook-dispatcher/src/outbound/sender.test.ts",
  "test/verifiers/hostile-parquet.test.ts",
];
