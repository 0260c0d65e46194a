// The settings of the export service.

import {
  address,
  databaseSettings,
  integer,
  optional,
  parseS3Url,
  processSettings,
  rpcServerSettings,
  rpcTlsSettings,
  type S3Location,
  type Setting,
} from "@annals/chassis";
import { messagingSettings } from "@annals/messaging";

/** It is never printed: credentials that somebody has put into the URL would be. */
const storageLocation: Setting<{ readonly directory: string } | S3Location> = {
  env: "ANNALS_EXPORT_STORAGE",
  about:
    "Where the [files of exports](../exports.md#where-files-are-stored) are: the path of a folder, which all " +
    "replicas must see, or the [URL of a bucket](settings.md#urls-of-buckets).",
  fallback: "/var/lib/annals/exports",
  secret: true,
  parse: (given) => {
    if (given.startsWith("/")) return { directory: given };
    if (given.startsWith("s3://")) return parseS3Url(given);
    throw new Error("must be the path of a folder, which begins with /, or s3://bucket/prefix");
  },
};

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
  storageLocation,
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
