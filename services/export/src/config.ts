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
    "The ledger: `host:port` or `dns:///host:port`, with round robin over its addresses.",
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
  leaseMs: integer(
    "ANNALS_EXPORT_LEASE_MS",
    "Milliseconds without a renewal after which another replica takes over an export.",
    { min: 300, max: 600_000 },
    { fallback: "15000" },
  ),
  pollIntervalMs: integer(
    "ANNALS_EXPORT_POLL_INTERVAL_MS",
    "Milliseconds between polls for exports that other replicas queued or did not finish.",
    { min: 50, max: 60_000 },
    { fallback: "1000" },
  ),
  maxAttempts: integer(
    "ANNALS_EXPORT_MAX_ATTEMPTS",
    "Attempts at an export, with backoff between them, before it fails permanently.",
    { min: 1, max: 100 },
    { fallback: "10" },
  ),
  retentionDays: integer(
    "ANNALS_EXPORT_RETENTION_DAYS",
    "Days after which an export expires: its files are deleted, and requests for it get 404. 0: exports never expire.",
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
    "Maximum bytes of all export files of an account, including those that are being written, unless its plan sets another limit.",
    { min: 1_024, max: Number.MAX_SAFE_INTEGER },
    { fallback: String(2 * 1024 ** 3) },
  ),
};
