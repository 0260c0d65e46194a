// The settings of the export service.

import {
  address,
  databaseSettings,
  integer,
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
    "The ledger: `host:port` or `dns:///host:port`, whose addresses are used by round robin.",
  ),
  directory: text(
    "ANNALS_EXPORT_DIRECTORY",
    "Directory of export files, unless ANNALS_EXPORT_S3_BUCKET is set. All replicas must see the same directory.",
    { fallback: "/var/lib/annals/exports" },
  ),
  s3Bucket: optionalText(
    "ANNALS_EXPORT_S3_BUCKET",
    "Stores export files in this bucket of S3-compatible storage. Credentials come from the SDK's default chain.",
  ),
  s3Endpoint: optionalText(
    "ANNALS_EXPORT_S3_ENDPOINT",
    "URL of S3-compatible storage other than AWS; the bucket is then in the path.",
  ),
  s3Region: text("ANNALS_EXPORT_S3_REGION", "Region of the bucket.", { fallback: "us-east-1" }),
  s3Prefix: optionalText("ANNALS_EXPORT_S3_PREFIX", "Prefix of the keys of export files."),
  concurrency: integer(
    "ANNALS_EXPORT_CONCURRENCY",
    "Exports that one replica writes at once.",
    { min: 1, max: 16 },
    { fallback: "2" },
  ),
  retentionDays: integer(
    "ANNALS_EXPORT_RETENTION_DAYS",
    "Days after its creation when an export ends: its files are deleted and it is 404. 0: exports never end.",
    { min: 0, max: 36_500 },
    { fallback: "30" },
  ),
  maxUnderWayPerAccount: integer(
    "ANNALS_EXPORT_MAX_UNDER_WAY_PER_ACCOUNT",
    "Maximum exports of an account that are not finished. Further ones are refused with 429.",
    { min: 1, max: 10_000 },
    { fallback: "10" },
  ),
  maxKeptPerAccount: integer(
    "ANNALS_EXPORT_MAX_KEPT_PER_ACCOUNT",
    "Maximum exports that an account has, finished or not. Further ones are refused with 403.",
    { min: 1, max: 1_000_000 },
    { fallback: "1000" },
  ),
  maxBytesPerAccount: integer(
    "ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT",
    "Maximum bytes of all export files of an account, those that are being written included, unless its plan sets another limit.",
    { min: 1_024, max: Number.MAX_SAFE_INTEGER },
    { fallback: String(2 * 1024 ** 3) },
  ),
};
