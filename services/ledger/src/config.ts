// The settings of the ledger, and its role in PostgreSQL.

import {
  address,
  databaseSettings,
  flag,
  idempotencySettings,
  integer,
  matching,
  optional,
  optionalText,
  processSettings,
  rpcServerSettings,
  rpcTlsSettings,
  type Setting,
} from "@annals/chassis";
import { LOG_ORIGIN } from "@annals/contract";
import { messagingSettings } from "@annals/messaging";

/** The role that 0001_ledger.sql makes. */
export const ROLE = "annals_ledger";

/** See erasures/rules/erasure-copies.ts. */
const erasureCopies: Setting<{ readonly exports: boolean; readonly webhooks: boolean }> = {
  env: "ANNALS_ERASURE_COPIES",
  about:
    "What an [erasure](../lifecycle.md#copies) waits for before it is completed: `exports` and `webhooks`, " +
    "separated by a comma, or one of them, or `none`. Leave out a service only if it does not run.",
  fallback: "exports,webhooks",
  secret: false,
  parse: (given) => {
    if (!/^(exports(,webhooks)?|webhooks|none)$/.test(given))
      throw new Error("must be exports,webhooks or exports or webhooks or none");
    return { exports: given.includes("exports"), webhooks: given.includes("webhooks") };
  },
};

export const SETTINGS = {
  ...processSettings,
  ...rpcServerSettings,
  ...rpcTlsSettings,
  ...databaseSettings,
  ...idempotencySettings,
  ...messagingSettings,
  appendGatherMs: integer(
    "ANNALS_APPEND_GATHER_MS",
    "Milliseconds for which a group of appends to one chain waits for more, and so each event. It saves" +
      " work of PostgreSQL if an account sends its events one by one, above all if tables are " +
      "[distributed](../scaling.md).",
    { min: 0, max: 1_000 },
    { fallback: "0" },
  ),
  auditInAccounts: flag(
    "ANNALS_AUDIT_IN_ACCOUNTS",
    "Whether changes to an account are also recorded in its own chain.",
  ),
  erasureCopies,
  erasureDelayHours: integer(
    "ANNALS_ERASURE_DELAY_H",
    "Hours between a request to [erase](../lifecycle.md#erasure) parts of events and its execution. Until then " +
      "it can be cancelled, so a stolen key cannot erase at once. 0: no delay.",
    { min: 0, max: 168 },
    { fallback: "24" },
  ),
  keysAddress: address(
    "ANNALS_KEYS_ADDRESS",
    "The keys service, which signs the [log of evidence](../evidence.md): `host:port` or " +
      "`dns:///host:port`. Without it nothing is signed, and everything else works.",
    { fallback: "dns:///keys:9090" },
  ),
  logEpochS: integer(
    "ANNALS_LOG_EPOCH_S",
    "Seconds between two epochs of the log of evidence, at least, while a chain grows. Each epoch stores a row " +
      "for each account that has grown.",
    { min: 1, max: 86_400 },
    { fallback: "60" },
  ),
  logPolicyFile: optionalText(
    "ANNALS_LOG_POLICY_FILE",
    "File with the policy of the log of evidence (C2SP tlog-policy): its witnesses, and which make a " +
      "quorum that must have seen an epoch before it is served. Read again every five seconds. Without " +
      "it, and with `quorum none`, epochs are served at once.",
  ),
  logOrigin: optional(
    matching(
      "ANNALS_LOG_ORIGIN",
      "Name of the log of evidence, such as `log.example.com`: the first line of its checkpoints. It never " +
        "changes after the first epoch. By default `annals/` and 16 digits of its first key.",
      LOG_ORIGIN,
    ),
  ),
  verifyConcurrency: integer(
    "ANNALS_VERIFY_CONCURRENCY",
    "Concurrent statements of verifications. Each uses a CPU of PostgreSQL and a connection of " +
      "`ANNALS_DATABASE_POOL_SIZE`.",
    { min: 1, max: 32 },
    { fallback: "2" },
  ),
  verifyIntervalHours: integer(
    "ANNALS_VERIFY_INTERVAL_HOURS",
    "Hours between two [scheduled verifications](upkeep.md#verification) of a chain. 0: they are off.",
    { min: 0, max: 8_760 },
    { fallback: "24" },
  ),
};
