// The settings of the gateway.

import {
  address,
  flag,
  integer,
  networks,
  oneOf,
  port,
  processSettings,
  rpcTlsSettings,
  text,
} from "@annals/chassis";
import { MAX_BODY_VALUES, MAX_EVENT_BYTES, MAX_EVENT_DEPTH } from "@annals/event";

const MIB = 1024 * 1024;

export const ACCESS_LOGS = ["failures", "all", "none"] as const;

export const SETTINGS = {
  ...processSettings,
  ...rpcTlsSettings,
  host: text("ANNALS_HOST", "Address that the API listens on.", { fallback: "0.0.0.0" }),
  port: port("ANNALS_PORT", "Port that the API listens on; 0 picks a free port.", {
    fallback: "8080",
  }),
  keysAddress: address(
    "ANNALS_KEYS_ADDRESS",
    "The keys service: `host:port` or `dns:///host:port`, balanced over all of its addresses.",
  ),
  ledgerAddress: address(
    "ANNALS_LEDGER_ADDRESS",
    "The ledger: `host:port` or `dns:///host:port`, balanced over all of its addresses.",
  ),
  exportAddress: address(
    "ANNALS_EXPORT_ADDRESS",
    "The export service, in the same forms. Without it, everything except /v1/exports works.",
    { fallback: "dns:///export:9090" },
  ),
  webhookDispatcherAddress: address(
    "ANNALS_WEBHOOK_DISPATCHER_ADDRESS",
    "The webhook dispatcher, in the same forms. Without it, everything except /v1/webhooks works.",
    { fallback: "dns:///webhook-dispatcher:9090" },
  ),
  rateLimitPerMinute: integer(
    "ANNALS_RATE_LIMIT_PER_MINUTE",
    "Requests that a key may make per 60 seconds, reported in responses to unknown keys. Must match the setting of `keys`.",
    { min: 1, max: 1_000_000_000 },
    { fallback: "100" },
  ),
  widgetRateLimitPerMinute: integer(
    "ANNALS_WIDGET_RATE_LIMIT_PER_MINUTE",
    "Requests that a widget token may make per 60 seconds. Must match the setting of `keys`.",
    { min: 1, max: 1_000_000_000 },
    { fallback: "120" },
  ),
  bodyMaxBytes: integer(
    "ANNALS_BODY_MAX_BYTES",
    "Bytes of a request body other than a batch.",
    { min: 1_024, max: 8 * MIB },
    { fallback: String(MIB) },
  ),
  batchBodyMaxBytes: integer(
    "ANNALS_BATCH_BODY_MAX_BYTES",
    "Bytes of the body of a batch of events.",
    { min: 1_024, max: 8 * MIB },
    { fallback: String(4 * MIB) },
  ),
  bodyMaxValues: integer(
    "ANNALS_BODY_MAX_VALUES",
    "Members and elements in a request body other than a batch. More than any event of 64 KiB can hold.",
    { min: 1_000, max: MAX_BODY_VALUES },
    { fallback: "40000" },
  ),
  batchBodyMaxValues: integer(
    "ANNALS_BATCH_BODY_MAX_VALUES",
    "Members and elements in the body of a batch of events. A thousand CloudTrail records have up to 50,000; " +
      "reading 100,000 can block the event loop for 100 milliseconds.",
    { min: 1_000, max: MAX_BODY_VALUES },
    { fallback: "60000" },
  ),
  eventMaxBytes: integer(
    "ANNALS_EVENT_MAX_BYTES",
    "Bytes of one event in canonical form.",
    { min: 1_024, max: MAX_EVENT_BYTES },
    { fallback: String(64 * 1024) },
  ),
  eventMaxDepth: integer(
    "ANNALS_EVENT_MAX_DEPTH",
    "How deep objects and arrays of an event may nest; the event itself is the first level.",
    { min: 4, max: MAX_EVENT_DEPTH },
    { fallback: "32" },
  ),
  requestTimeoutMs: integer(
    "ANNALS_REQUEST_TIMEOUT_MS",
    "Milliseconds that a client has to send a complete request.",
    { min: 100, max: 600_000 },
    { fallback: "15000" },
  ),
  shutdownDelayS: integer(
    "ANNALS_SHUTDOWN_DELAY_S",
    "Seconds for which the gateway continues to serve after SIGTERM, with `connection: close` in each response, " +
      "before it drains. Must exceed the time that load balancers need to notice.",
    { min: 0, max: 300 },
    { fallback: "0" },
  ),
  requestsMaxUnderWay: integer(
    "ANNALS_REQUESTS_MAX_UNDER_WAY",
    "Concurrent requests of all accounts in one gateway, and as many again whose key is not admitted yet; more are " +
      "refused at once. A good value is what a gateway serves in half a second.",
    { min: 1, max: 1_000_000 },
    { fallback: "2000" },
  ),
  requestsMaxPerAccount: integer(
    "ANNALS_REQUESTS_MAX_PER_ACCOUNT",
    "Concurrent requests of one account in one gateway; more are refused at once.",
    { min: 1, max: 1_000_000 },
    { fallback: "500" },
  ),
  bytesMaxPerAccount: integer(
    "ANNALS_BYTES_MAX_PER_ACCOUNT",
    "Bytes of request bodies that one gateway buffers for one account, and as many again of unread responses. " +
      "The limit for all accounts is four times this.",
    { min: 8 * MIB, max: 1_024 * MIB },
    { fallback: String(16 * MIB) },
  ),
  downloadsMaxPerAccount: integer(
    "ANNALS_DOWNLOADS_MAX_PER_ACCOUNT",
    "Concurrent downloads of exports of one account in one gateway. The limit for all accounts is four times this.",
    { min: 1, max: 10_000 },
    { fallback: "8" },
  ),
  listsMaxPerAccount: integer(
    "ANNALS_LISTS_MAX_PER_ACCOUNT",
    "Concurrent lists of events of one account in one gateway; more wait up to 5 seconds. The limit for all accounts is four times this.",
    { min: 1, max: 100_000 },
    { fallback: "16" },
  ),
  verificationsMaxPerAccount: integer(
    "ANNALS_VERIFICATIONS_MAX_PER_ACCOUNT",
    "Concurrent verifications of one account in one gateway. The limit for all accounts is four times this.",
    { min: 1, max: 10_000 },
    { fallback: "4" },
  ),
  transferMinBytesPerSecond: integer(
    "ANNALS_TRANSFER_MIN_BYTES_PER_SECOND",
    "Minimum bytes per second at which a client must send a body or read a response. A slower client is disconnected.",
    { min: 1, max: MIB },
    { fallback: "1024" },
  ),
  bodyWindowMs: integer(
    "ANNALS_BODY_WINDOW_MS",
    "Milliseconds over which the rate of a body is measured. The minimum rate does not apply to a body that arrives within this time.",
    { min: 100, max: 600_000 },
    { fallback: "5000" },
  ),
  answerWindowMs: integer(
    "ANNALS_ANSWER_WINDOW_MS",
    "Milliseconds for which a client may stop reading a response. A client that has read faster than the minimum " +
      "rate gets up to four times as long.",
    { min: 100, max: 600_000 },
    { fallback: "30000" },
  ),
  unauthenticatedPerSecond: integer(
    "ANNALS_UNAUTHENTICATED_PER_SECOND",
    "Requests per second without a valid key from one client address, and refusals beyond the shares of one " +
      "account; bursts of ten times this. Beyond it, responses are delayed by a second, and from that address only " +
      "recently admitted keys are looked up.",
    { min: 1, max: 1_000_000 },
    { fallback: "20" },
  ),
  accessLog: oneOf(
    "ANNALS_ACCESS_LOG",
    "Which requests are logged: failures (401, 403, 429, 5xx and slow ones), all or none.",
    ACCESS_LOGS,
    { fallback: "failures" },
  ),
  slowRequestMs: integer(
    "ANNALS_SLOW_REQUEST_MS",
    "Milliseconds after which a request is slow.",
    { min: 1, max: 3_600_000 },
    { fallback: "1000" },
  ),
  trustedProxies: networks(
    "ANNALS_TRUSTED_PROXIES",
    "Addresses and networks (`10.0.0.0/8,::1`) of proxies whose X-Forwarded-For names the client's address.",
  ),
  dashboard: flag(
    "ANNALS_DASHBOARD",
    "Serves the dashboard under /dashboard/: a browser client of /v1 for anyone who has an API key.",
  ),
  verifyTimeoutMs: integer(
    "ANNALS_VERIFY_TIMEOUT_MS",
    "Milliseconds that the verification of a chain may take.",
    { min: 1_000, max: 3_600_000 },
    { fallback: "600000" },
  ),
};

export type Limits = Pick<
  { readonly [K in keyof typeof SETTINGS]: number },
  | "bodyMaxBytes"
  | "batchBodyMaxBytes"
  | "bodyMaxValues"
  | "batchBodyMaxValues"
  | "eventMaxBytes"
  | "eventMaxDepth"
  | "verifyTimeoutMs"
>;
