// The settings of the keys service.

import {
  address,
  databaseSettings,
  flag,
  idempotencySettings,
  integer,
  listenAddress,
  matching,
  optionalText,
  optionalUrl,
  processSettings,
  rpcServerSettings,
  rpcTlsSettings,
} from "@annals/chassis";

const SESSION_MINUTES = { min: 5, max: 1_440 };

export const SETTINGS = {
  ...processSettings,
  ...rpcServerSettings,
  ...rpcTlsSettings,
  ...databaseSettings,
  ...idempotencySettings,
  ledgerAddress: address(
    "ANNALS_LEDGER_ADDRESS",
    "The ledger, which stores [audit entries](audit.md): `host:port` or `dns:///host:port`. Without it " +
      "entries wait, and everything else works.",
    { fallback: "dns:///ledger:9090" },
  ),
  exportAddress: address(
    "ANNALS_EXPORT_ADDRESS",
    "The export service, in the same forms. Only [the admin API](admin-api.md) asks it what lags.",
    { fallback: "dns:///export:9090" },
  ),
  webhookDispatcherAddress: address(
    "ANNALS_WEBHOOK_DISPATCHER_ADDRESS",
    "The webhook dispatcher, in the same forms. Only [the admin API](admin-api.md) asks it what lags.",
    { fallback: "dns:///webhook-dispatcher:9090" },
  ),
  keyPrefix: matching(
    "ANNALS_KEY_PREFIX",
    "Prefix of the keys that are created, before `_sk_`.",
    /^[a-z][a-z0-9]{0,31}$/,
    { fallback: "annals" },
  ),
  rateLimitPerMinute: integer(
    "ANNALS_RATE_LIMIT_PER_MINUTE",
    "Requests that a key may make in its window of 60 seconds; 30 times as many to `/v1/log`, in a window of their " +
      "own; and an account 60 times as many if its plan does not set " +
      "[`requests_per_minute`](multi-tenant.md#plans).",
    { min: 1, max: 1_000_000_000 },
    { fallback: "100" },
  ),
  intakeRateLimitPerMinute: integer(
    "ANNALS_INTAKE_RATE_LIMIT_PER_MINUTE",
    "Requests to `/v1/intake` that a key may make in a window of its own, and an account 60 times as " +
      "many if its plan does not set [`intake_requests_per_minute`](multi-tenant.md#plans).",
    { min: 1, max: 1_000_000_000 },
    { fallback: "1200" },
  ),
  widgetRateLimitPerMinute: integer(
    "ANNALS_WIDGET_RATE_LIMIT_PER_MINUTE",
    "Requests that a widget token may make per 60 seconds.",
    { min: 1, max: 1_000_000_000 },
    { fallback: "120" },
  ),
  personRateLimitPerMinute: integer(
    "ANNALS_PERSON_RATE_LIMIT_PER_MINUTE",
    "Requests that an access token of a person may make per 60 seconds.",
    { min: 1, max: 1_000_000_000 },
    { fallback: "120" },
  ),
  revokedKeyRetentionDays: integer(
    "ANNALS_REVOKED_KEY_RETENTION_DAYS",
    "Days that the record of a revoked key is kept. 0: permanently. Its secret stays invalid in any case.",
    { min: 0, max: 36_500 },
    { fallback: "400" },
  ),
  plansFile: optionalText(
    "ANNALS_PLANS_FILE",
    "JSON file of the [plans](multi-tenant.md#plans) that accounts can have. By default there is one plan " +
      "with the limits that every plan has.",
  ),
  adminApiTokenFile: optionalText(
    "ANNALS_ADMIN_API_TOKEN_FILE",
    "File with the tokens of [the admin API](admin-api.md), one per line, each of 32 characters or more. " +
      "Without it the admin API is off.",
  ),
  adminApiAddress: listenAddress(
    "ANNALS_ADMIN_API_ADDRESS",
    "Address that the admin API listens on, `host:port`. Clients must not reach it.",
    { fallback: "127.0.0.1:9092" },
  ),
  logKeyFile: optionalText(
    "ANNALS_LOG_KEY_FILE",
    "File with the keys of the [log](../evidence.md#the-key-of-the-log), newest first: lines of the " +
      "base64 of 32 bytes. Each one signs. It is read again every five seconds. Without it nothing is signed.",
  ),
  logKeyWithoutOverlap: flag(
    "ANNALS_DANGEROUS_LOG_KEY_WITHOUT_OVERLAP",
    "Lets a key of the log be left out of its file at once, because it was stolen, and not only 90 days after a " +
      "newer one has first signed. Who knows only that key then refuses new checkpoints.",
  ),
  publicUrl: optionalUrl(
    "ANNALS_PUBLIC_URL",
    "Origin at which browsers reach the gateway, `https://audit.example.com`. Required with " +
      "`ANNALS_IDENTITY_FILE`. Identity providers send browsers back to `/auth/callback/<provider>` there.",
    ["http:", "https:"],
  ),
  identityFile: optionalText(
    "ANNALS_IDENTITY_FILE",
    "JSON file of the identity providers with which people log in, and of the issuers of workloads. It is read again every five seconds. " +
      "Without it people cannot log in.",
  ),
  operatorUrl: optionalUrl(
    "ANNALS_OPERATOR_URL",
    "Origin at which browsers of operators reach the admin API, `https://annals-admin.example.com`. It enables " +
      "[the console](console.md), and requires `ANNALS_IDENTITY_FILE`. Its host is another one than that of " +
      "`ANNALS_PUBLIC_URL`.",
    ["http:", "https:"],
  ),
  sessionLifetimeMinutes: integer(
    "ANNALS_SESSION_LIFETIME_MINUTES",
    "Minutes after which a session of a person ends in any case.",
    SESSION_MINUTES,
    { fallback: "480" },
  ),
  sessionIdleMinutes: integer(
    "ANNALS_SESSION_IDLE_MINUTES",
    "Minutes without input after which a session of a person ends.",
    SESSION_MINUTES,
    { fallback: "60" },
  ),
  personRetentionDays: integer(
    "ANNALS_PERSON_RETENTION_DAYS",
    "Days that a person is kept after the last login. 0: permanently. Blocked people are kept in any case.",
    { min: 0, max: 36_500 },
    { fallback: "400" },
  ),
  httpsProxy: optionalUrl(
    "HTTPS_PROXY",
    "Proxy through which identity providers are reached. Nothing else uses it.",
    ["http:", "https:"],
  ),
  noProxy: optionalText(
    "NO_PROXY",
    "Hosts of identity providers that are reached without the proxy, separated by commas.",
  ),
  bootstrapKey: optionalText(
    "ANNALS_BOOTSTRAP_KEY",
    "Read by `migrate`: the first account's first key, with all scopes.",
    { secret: true },
  ),
};
