// The settings of the webhook dispatcher.

import {
  address,
  databaseSettings,
  flag,
  idempotencySettings,
  integer,
  optional,
  optionalAddress,
  optionalText,
  optionalUrl,
  parseS3Url,
  processSettings,
  rpcServerSettings,
  rpcTlsSettings,
  type S3Location,
  type Setting,
} from "@annals/chassis";
import { messagingSettings } from "@annals/messaging";

/** Seven years. */
const DEFAULT_LOCK_DAYS = "2557";
const MAX_LOCK_DAYS = 36_500;

/** Seconds from the end of each attempt to its retry; interface 9.2. */
const retryDelaysS: Setting<readonly number[]> = {
  env: "ANNALS_WEBHOOK_RETRY_DELAYS_S",
  about:
    "Seconds from the end of an attempt to the next, one number per retry, separated by commas. The " +
    "interface promises the default.",
  fallback: "60,300,900",
  secret: false,
  parse: (given) => {
    if (!/^\d{1,6}(\.\d{1,3})?(,\d{1,6}(\.\d{1,3})?){0,9}$/.test(given)) {
      throw new Error("must be 1 to 10 numbers, separated by commas");
    }
    return given.split(",").map(Number);
  },
};

/** It is never printed: credentials that somebody has put into the URL would be. */
const logS3: Setting<S3Location & { readonly lockDays: number }> = {
  env: "ANNALS_LOG_S3_URL",
  about:
    "Keep the [log of evidence](../evidence.md#object-lock) in the bucket of this " +
    "[URL](settings.md#urls-of-buckets), which must have object lock. It has no prefix. `lock_days` are the days " +
    "for which an object is locked in compliance mode, and cannot be deleted: by default 2,557.",
  fallback: undefined,
  secret: true,
  parse: (given) => {
    const { parameters, ...location } = parseS3Url(given, ["lock_days"]);
    if (location.prefix !== "")
      throw new Error("must not have a prefix: the log is at the root of its bucket");
    const lockDays = parameters.lock_days ?? DEFAULT_LOCK_DAYS;
    if (!/^[1-9]\d{0,4}$/.test(lockDays) || Number(lockDays) > MAX_LOCK_DAYS)
      throw new Error(`has wrong lock_days: they must be an integer from 1 to ${MAX_LOCK_DAYS}`);
    return { ...location, lockDays: Number(lockDays) };
  },
};

/** The role that 0001_webhooks.sql creates. */
export const ROLE = "annals_webhooks";

export const SETTINGS = {
  ...processSettings,
  ...rpcServerSettings,
  ...rpcTlsSettings,
  ...databaseSettings,
  ...idempotencySettings,
  ...messagingSettings,
  ledgerAddress: address(
    "ANNALS_LEDGER_ADDRESS",
    "The ledger: `host:port` or `dns:///host:port`. Calls are balanced over all of its addresses.",
  ),
  exportAddress: optionalAddress(
    "ANNALS_EXPORT_ADDRESS",
    "The export service, in the same form. Absent if exports are not offered.",
  ),
  secretKeyFile: optionalText(
    "ANNALS_WEBHOOK_SECRET_KEY_FILE",
    "File with the keys that seal signing secrets: lines of `<key id>:<base64 of 32 bytes>`. The first " +
      "seals new secrets, all can open. Required by `serve`.",
  ),
  retryDelaysS,
  timeoutMs: integer(
    "ANNALS_WEBHOOK_TIMEOUT_MS",
    "Maximum milliseconds of an attempt: DNS, connection, TLS, headers and body of the response together.",
    { min: 100, max: 60_000 },
    { fallback: "10000" },
  ),
  maxPendingPerAccount: integer(
    "ANNALS_WEBHOOK_MAX_PENDING_PER_ACCOUNT",
    "Maximum pending deliveries of one account. Beyond it deliveries are dropped and counted " +
      "([webhooks.md](../webhooks.md#failed-deliveries)).",
    { min: 1, max: 10_000_000 },
    { fallback: "100000" },
  ),
  maxPendingBytesPerAccount: integer(
    "ANNALS_WEBHOOK_MAX_PENDING_BYTES_PER_ACCOUNT",
    "Maximum bytes of the bodies of one account's pending deliveries. Beyond it deliveries are dropped " +
      "and counted, too.",
    { min: 1_048_576, max: 1_099_511_627_776 },
    { fallback: "268435456" },
  ),
  disableAfterDays: integer(
    "ANNALS_WEBHOOK_DISABLE_AFTER_DAYS",
    "Days without a successful attempt after which a failing webhook is disabled. 0: never.",
    { min: 0, max: 3_650 },
    { fallback: "5" },
  ),
  caFile: optionalText(
    "ANNALS_WEBHOOK_CA_FILE",
    "File (PEM) of certificate authorities to trust in addition to the usual ones.",
  ),
  allowPrivateAddresses: flag(
    "ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES",
    "Allow deliveries to private and local addresses. Clients that may create webhooks can then reach them.",
  ),
  allowProcessCredentials: flag(
    "ANNALS_SINK_DANGEROUS_PROCESS_CREDENTIALS",
    "Let a sink of type `s3` without credentials use those of this process. Clients that may create sinks can " +
      "then write wherever these can.",
  ),
  sinksFile: optionalText(
    "ANNALS_SINKS_FILE",
    "File (JSON) with the [sinks of the operator](sinks.md), which are sent the events of all accounts, or those of " +
      "the system account. Read at the start.",
  ),
  sendsTraceparent: flag(
    "ANNALS_WEBHOOK_TRACEPARENT",
    "Whether deliveries of recorded requests carry the header `traceparent`, so that receivers can " +
      "continue their traces.",
  ),
  logPolicyFile: optionalText(
    "ANNALS_LOG_POLICY_FILE",
    "File with the policy of the [log of evidence](../evidence.md#anchors), as the ledger has it. Each " +
      "checkpoint is sent to the URLs of its witnesses. The file is read again every five seconds.",
  ),
  logTsaUrl: optionalUrl(
    "ANNALS_LOG_TSA_URL",
    "URL of a time stamping authority (RFC 3161), which stamps a checkpoint of the log of evidence now and then.",
    ["http:", "https:"],
  ),
  logAnchorIntervalS: integer(
    "ANNALS_LOG_ANCHOR_INTERVAL_S",
    "Seconds between two time stamps of the log, and between two checkpoints in its bucket, at least.",
    { min: 1, max: 86_400 },
    { fallback: "3600" },
  ),
  logS3: optional(logS3),
  logS3AccessKeyId: optionalText(
    "ANNALS_LOG_S3_ACCESS_KEY_ID",
    "Access key for that bucket. By default credentials come from the SDK's standard chain, as those of the operator's " +
      "sinks without any.",
  ),
  logS3SecretAccessKey: optionalText(
    "ANNALS_LOG_S3_SECRET_ACCESS_KEY",
    "Secret of that access key.",
    { secret: true },
  ),
  sweepIntervalMs: integer(
    "ANNALS_WEBHOOK_SWEEP_INTERVAL_MS",
    "Milliseconds between two sweeps for what no notice announced.",
    { min: 100, max: 86_400_000 },
    { fallback: "2000" },
  ),
  retentionDays: integer(
    "ANNALS_WEBHOOK_DELIVERY_RETENTION_DAYS",
    "Days that the record of a delivery is kept after its last attempt.",
    { min: 1, max: 3_650 },
    { fallback: "30" },
  ),
};

/** The settings of the commands besides `serve`, which call no other service. */
export const COMMAND_SETTINGS = { ...SETTINGS, ledgerAddress: optional(SETTINGS.ledgerAddress) };
