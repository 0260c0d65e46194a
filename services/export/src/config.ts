// The settings of the export service.

import {
  address,
  databaseSettings,
  integer,
  optional,
  optionalText,
  processSettings,
  rpcServerSettings,
  rpcTlsSettings,
  text,
} from "@annals/chassis";
import { messagingSettings } from "@annals/messaging";

export const SETTINGS = {
  ...processSettings,
  ...rpcServerSettings,
  ...rpcTlsSettings,
  ...databaseSettings,
  ...messagingSettings,
  ledgerAddress: address(
    "ANNALS_LEDGER_ADDRESS",
    "The ledger: `host:port` or `dns:///host:port`. Calls are balanced over all of its addresses.",
  ),
  directory: text(
    "ANNALS_EXPORT_DIRECTORY",
    "Folder of the export files, if ANNALS_EXPORT_S3_BUCKET is not set. All replicas must see the same " +
      "folder.",
    { fallback: "/var/lib/annals/exports" },
  ),
  s3Bucket: optionalText(
    "ANNALS_EXPORT_S3_BUCKET",
    "Keep export files in this bucket of S3-compatible storage. Credentials come from the SDK's standard " +
      "chain.",
  ),
  s3Endpoint: optionalText(
    "ANNALS_EXPORT_S3_ENDPOINT",
    "URL of S3-compatible storage other than AWS. Bucket names are then part of the path.",
  ),
  s3Region: text("ANNALS_EXPORT_S3_REGION", "Region of the bucket.", { fallback: "us-east-1" }),
  s3Prefix: optionalText("ANNALS_EXPORT_S3_PREFIX", "Prefix of the object keys of export files."),
  logS3Bucket: optionalText(
    "ANNALS_LOG_S3_BUCKET",
    "Keep the [log of evidence](../evidence.md#object-lock) in this bucket of S3-compatible storage, which must have " +
      "object lock.",
  ),
  logS3Endpoint: optionalText(
    "ANNALS_LOG_S3_ENDPOINT",
    "URL of S3-compatible storage other than AWS, for that bucket.",
  ),
  logS3Region: text("ANNALS_LOG_S3_REGION", "Region of that bucket.", { fallback: "us-east-1" }),
  logS3AccessKeyId: optionalText(
    "ANNALS_LOG_S3_ACCESS_KEY_ID",
    "Access key for that bucket. By default credentials come from the SDK's standard chain, as those for export files.",
  ),
  logS3SecretAccessKey: optionalText(
    "ANNALS_LOG_S3_SECRET_ACCESS_KEY",
    "Secret of that access key.",
    { secret: true },
  ),
  logS3LockDays: integer(
    "ANNALS_LOG_S3_LOCK_DAYS",
    "Days for which an object of that bucket is locked in compliance mode: it cannot be deleted before.",
    { min: 1, max: 36_500 },
    { fallback: "2557" },
  ),
  logS3IntervalS: integer(
    "ANNALS_LOG_S3_INTERVAL_S",
    "Seconds between two checkpoints in that bucket, at least.",
    { min: 1, max: 86_400 },
    { fallback: "3600" },
  ),
  concurrency: integer(
    "ANNALS_EXPORT_CONCURRENCY",
    "Exports that one replica writes at a time.",
    { min: 1, max: 16 },
    { fallback: "2" },
  ),
  retentionDays: integer(
    "ANNALS_EXPORT_RETENTION_DAYS",
    "Days after which an export expires: its files are deleted, and requests for it get 404. 0: exports " +
      "never expire.",
    { min: 0, max: 36_500 },
    { fallback: "30" },
  ),
  maxUnderWayPerAccount: integer(
    "ANNALS_EXPORT_MAX_UNDER_WAY_PER_ACCOUNT",
    "Maximum unfinished exports of an account. Further ones are refused with 429.",
    { min: 1, max: 10_000 },
    { fallback: "10" },
  ),
  maxKeptPerAccount: integer(
    "ANNALS_EXPORT_MAX_KEPT_PER_ACCOUNT",
    "Maximum exports of an account, finished or not. Further ones are refused with 403.",
    { min: 1, max: 1_000_000 },
    { fallback: "1000" },
  ),
  maxBytesPerAccount: integer(
    "ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT",
    "Maximum bytes of all export files of an account if its [plan](multi-tenant.md#plans) sets no other" +
      " limit. Beyond it exports are refused with 403, and one that passes it while it is written fails. " +
      "The chart's claim of 10 GiB holds five accounts of that size.",
    { min: 1_024, max: Number.MAX_SAFE_INTEGER },
    { fallback: String(2 * 1024 ** 3) },
  ),
};

/** The settings of the commands besides `serve`, which call no other service. */
export const COMMAND_SETTINGS = { ...SETTINGS, ledgerAddress: optional(SETTINGS.ledgerAddress) };
