// The settings of the webhook dispatcher.

import {
  databaseSettings,
  flag,
  integer,
  optionalText,
  processSettings,
  rpcServerSettings,
  type Setting,
  text,
} from "@annals/chassis";
import { messagingSettings } from "@annals/messaging";

/** Seconds after which each retry follows the attempt before; interface 6. */
const retryDelaysS: Setting<readonly number[]> = {
  env: "ANNALS_WEBHOOK_RETRY_DELAYS_S",
  about:
    "Seconds from the end of an attempt to the next, one number for each retry, separated by commas. " +
    "The API promises the three default values.",
  fallback: "60,300,900",
  secret: false,
  parse: (given) => {
    if (!/^\d{1,6}(\.\d{1,3})?(,\d{1,6}(\.\d{1,3})?){0,9}$/.test(given)) {
      throw new Error("must be 1 to 10 numbers, separated by commas");
    }
    return given.split(",").map(Number);
  },
};

export const SETTINGS = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...messagingSettings,
  ledgerAddress: text(
    "ANNALS_LEDGER_ADDRESS",
    "The ledger: `host:port` or `dns:///host:port`, all of whose addresses are used in turn.",
  ),
  exportAddress: optionalText(
    "ANNALS_EXPORT_ADDRESS",
    "The export service, in the same form; absent where exports are not offered.",
  ),
  secretKeyFile: optionalText(
    "ANNALS_WEBHOOK_SECRET_KEY_FILE",
    "File with the keys that seal signing secrets: lines of `<key id>:<base64 of 32 bytes>`. The first seals, all open. " +
      "Required by `serve`.",
  ),
  retryDelaysS,
  timeoutMs: integer(
    "ANNALS_WEBHOOK_TIMEOUT_MS",
    "Total milliseconds of an attempt: DNS, connection, TLS, headers and body of the response.",
    { min: 100, max: 60_000 },
    { fallback: "10000" },
  ),
  maxInFlightPerEndpoint: integer(
    "ANNALS_WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT",
    "Concurrent deliveries of one replica to one webhook.",
    { min: 1, max: 1_000 },
    { fallback: "10" },
  ),
  maxInFlight: integer(
    "ANNALS_WEBHOOK_MAX_IN_FLIGHT",
    "Concurrent deliveries of one replica in total.",
    { min: 1, max: 10_000 },
    { fallback: "1000" },
  ),
  caFile: optionalText(
    "ANNALS_WEBHOOK_CA_FILE",
    "File (PEM) of certificate authorities to trust besides the default ones.",
  ),
  allowPrivateAddresses: flag(
    "ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES",
    "Allows deliveries to private and local addresses. Every user who may create webhooks then reaches them too.",
  ),
  sweepIntervalMs: integer(
    "ANNALS_WEBHOOK_SWEEP_INTERVAL_MS",
    "Milliseconds between two polls for changes that no notice announced.",
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
