// The settings of the gateway.

import {
  address,
  flag,
  integer,
  networks,
  oneOf,
  optionalUrl,
  port,
  processSettings,
  rpcTlsSettings,
  text,
} from "@annals/chassis";

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
    "The keys service: `host:port` or `dns:///host:port`. Calls are balanced over all of its addresses.",
  ),
  ledgerAddress: address(
    "ANNALS_LEDGER_ADDRESS",
    "The ledger: `host:port` or `dns:///host:port`. Calls are balanced over all of its addresses.",
  ),
  exportAddress: address(
    "ANNALS_EXPORT_ADDRESS",
    "The export service, in the same forms. Without it, everything except /v1/exports works.",
    { fallback: "dns:///export:9090" },
  ),
  webhookDispatcherAddress: address(
    "ANNALS_WEBHOOK_DISPATCHER_ADDRESS",
    "The webhook dispatcher, in the same forms. Without it, everything except /v1/webhooks and /v1/sinks works.",
    { fallback: "dns:///webhook-dispatcher:9090" },
  ),
  rateLimitPerMinute: integer(
    "ANNALS_RATE_LIMIT_PER_MINUTE",
    "Requests that a key may make in its window of 60 seconds. Shown to requests without a known key. " +
      "Must match the setting of `keys`.",
    { min: 1, max: 1_000_000_000 },
    { fallback: "100" },
  ),
  widgetRateLimitPerMinute: integer(
    "ANNALS_WIDGET_RATE_LIMIT_PER_MINUTE",
    "Requests that a widget token may make in its window of 60 seconds. Must match the setting of `keys`.",
    { min: 1, max: 1_000_000_000 },
    { fallback: "120" },
  ),
  requestTimeoutMs: integer(
    "ANNALS_REQUEST_TIMEOUT_MS",
    "Milliseconds that a client has to send a complete request.",
    { min: 100, max: 600_000 },
    { fallback: "15000" },
  ),
  keepAliveS: integer(
    "ANNALS_KEEP_ALIVE_S",
    "Seconds after which a connection without a request is closed. Must exceed that of [a load " +
      "balancer](running.md#behind-a-proxy).",
    { min: 1, max: 3_600 },
    { fallback: "75" },
  ),
  shutdownDelayS: integer(
    "ANNALS_SHUTDOWN_DELAY_S",
    "Seconds for which the gateway continues to serve after SIGTERM, with `connection: close` in each " +
      "response, before it drains. Must exceed the time that load balancers need to notice.",
    { min: 0, max: 300 },
    { fallback: "0" },
  ),
  requestsMaxUnderWay: integer(
    "ANNALS_REQUESTS_MAX_UNDER_WAY",
    "Maximum requests of all accounts in flight in one gateway, and as many again whose key is not " +
      "admitted yet. Further ones are refused at once. A good value is what it serves in half a second.",
    { min: 1, max: 1_000_000 },
    { fallback: "2000" },
  ),
  requestsMaxPerAccount: integer(
    "ANNALS_REQUESTS_MAX_PER_ACCOUNT",
    "Maximum requests in flight of one account in one gateway. Further ones are refused at once.",
    { min: 1, max: 1_000_000 },
    { fallback: "500" },
  ),
  bytesMaxPerAccount: integer(
    "ANNALS_BYTES_MAX_PER_ACCOUNT",
    "Maximum bytes of request bodies that one gateway buffers for one account, and as many again, with " +
      "1.25 MiB for each download, of unread responses. For all accounts together: four times that.",
    { min: 8 * MIB, max: 1_024 * MIB },
    { fallback: String(16 * MIB) },
  ),
  readsMaxPerAccount: integer(
    "ANNALS_READS_MAX_PER_ACCOUNT",
    "Maximum concurrent lists of events of one account in one gateway. Of downloads of exports half as many, of " +
      "verifications a quarter. For all accounts together: four times that. A list beyond it waits up to 5 seconds " +
      "before it is refused.",
    { min: 4, max: 100_000 },
    { fallback: "16" },
  ),
  responseWindowMs: integer(
    "ANNALS_RESPONSE_WINDOW_MS",
    "Milliseconds for which a client may stop reading a response. A client that has read faster than 1 " +
      "KiB per second gets up to four times as long.",
    { min: 100, max: 600_000 },
    { fallback: "30000" },
  ),
  unauthenticatedPerSecond: integer(
    "ANNALS_UNAUTHENTICATED_PER_SECOND",
    "Requests per second without a valid key from one client address, and refusals beyond the shares of " +
      "one account; bursts of ten times this. Beyond it, responses are delayed by a second, and from that " +
      "address only recently admitted keys are looked up.",
    { min: 1, max: 1_000_000 },
    { fallback: "20" },
  ),
  accessLog: oneOf(
    "ANNALS_ACCESS_LOG",
    "Which requests are [logged](logs-and-traces.md#requests): `failures` (401, 403, 429, 5xx and slow " +
      "ones), `all` or `none`.",
    ACCESS_LOGS,
    { fallback: "failures" },
  ),
  auditReads: flag(
    "ANNALS_AUDIT_READS",
    "Records who reads in [the operator's audit](audit.md#reads): an entry for each key, route and minute.",
    "true",
  ),
  trustedProxies: networks(
    "ANNALS_TRUSTED_PROXIES",
    "Addresses and networks (`10.0.0.0/8,::1`) of proxies whose X-Forwarded-For names the client's " +
      "address. [Behind a proxy](running.md#behind-a-proxy)",
  ),
  logPublic: flag(
    "ANNALS_LOG_PUBLIC",
    "Serves [the head log](../evidence.md) under `/log/` to anyone. It names no account. Witnesses do not need it.",
    "true",
  ),
  publicUrl: optionalUrl(
    "ANNALS_PUBLIC_URL",
    "Origin at which browsers reach the gateway, `https://audit.example.com`. With it people can log in " +
      "under `/auth`, if `keys` has an identity file.",
    ["http:", "https:"],
  ),
  dashboard: flag(
    "ANNALS_DASHBOARD",
    "Serves [the dashboard](../dashboard.md) under `/dashboard/`, for anyone who has an API key. `npm " +
      "start` sets it to `true`.",
  ),
  dashboardKeyLogin: flag(
    "ANNALS_DASHBOARD_KEY_LOGIN",
    "Shows the field for an API key at the login of the dashboard. `false` leaves only identity providers; it " +
      "takes effect with `ANNALS_PUBLIC_URL`. Requests with API keys work as before.",
    "true",
  ),
};
