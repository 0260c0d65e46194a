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
