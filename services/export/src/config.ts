// The settings of the export service.

import {
  databaseSettings,
  integer,
  optionalText,
  processSettings,
  rpcServerSettings,
  text,
} from "@annals/chassis";
import { messagingSettings } from "@annals/messaging";

export const SETTINGS = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...messagingSettings,
  ledgerAddress: text(
    "ANNALS_LEDGER_ADDRESS",
    "The ledger: `host:port` or `dns:///host:port`, all of whose addresses are used in turn.",
  ),
  directory: text(
    "ANNALS_EXPORT_DIRECTORY",
    "Where export files are kept unless ANNALS_EXPORT_S3_BUCKET is set. All replicas must see the same directory.",
    { fallback: "/var/lib/annals/exports" },
  ),
  s3Bucket: optionalText(
    "ANNALS_EXPORT_S3_BUCKET",
    "Keeps export files in this bucket of S3-compatible storage. Credentials come from the SDK's standard chain.",
  ),
  s3Endpoint: optionalText(
    "ANNALS_EXPORT_S3_ENDPOINT",
    "URL of S3-compatible storage that is not AWS; buckets are then named in the path.",
  ),
  s3Region: text("ANNALS_EXPORT_S3_REGION", "Region of the bucket.", { fallback: "us-east-1" }),
  s3Prefix: optionalText("ANNALS_EXPORT_S3_PREFIX", "What the keys of export files begin with."),
  concurrency: integer(
    "ANNALS_EXPORT_CONCURRENCY",
    "Exports that one replica writes at a time.",
    { min: 1, max: 16 },
    { fallback: "2" },
  ),
  leaseMs: integer(
    "ANNALS_EXPORT_LEASE_MS",
    "Milliseconds after which an export whose replica is silent is taken over by another.",
    { min: 300, max: 600_000 },
    { fallback: "15000" },
  ),
  pollIntervalMs: integer(
    "ANNALS_EXPORT_POLL_INTERVAL_MS",
    "Milliseconds between two looks for work that other replicas queued or left.",
    { min: 50, max: 60_000 },
    { fallback: "1000" },
  ),
  maxAttempts: integer(
    "ANNALS_EXPORT_MAX_ATTEMPTS",
    "Attempts at an export, with growing pauses between them, before it has failed for good.",
    { min: 1, max: 100 },
    { fallback: "10" },
  ),
};
