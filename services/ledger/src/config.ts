// The settings of the ledger, and its role in PostgreSQL.

import {
  databaseSettings,
  flag,
  integer,
  processSettings,
  rpcServerSettings,
  rpcTlsSettings,
} from "@annals/chassis";
import { messagingSettings } from "@annals/messaging";

/** The role that 0001_ledger.sql makes. */
export const ROLE = "annals_ledger";

export const SETTINGS = {
  ...processSettings,
  ...rpcServerSettings,
  ...rpcTlsSettings,
  ...databaseSettings,
  ...messagingSettings,
  auditInAccounts: flag(
    "ANNALS_AUDIT_IN_ACCOUNTS",
    "Whether the changes of an account are recorded in its own chain, too.",
  ),
  indexPaused: flag(
    "ANNALS_LEDGER_INDEX_PAUSED",
    "Whether new events are left out of the filter index. Lists with filters are complete and become " +
      "slower.",
  ),
  verifyConcurrency: integer(
    "ANNALS_VERIFY_CONCURRENCY",
    "Statements of verifications at a time. Each keeps a CPU of PostgreSQL busy, and needs a connection " +
      "of `ANNALS_DATABASE_POOL_SIZE`.",
    { min: 1, max: 32 },
    { fallback: "2" },
  ),
  verifyIntervalHours: integer(
    "ANNALS_VERIFY_INTERVAL_HOURS",
    "Hours between two [scheduled verifications](verification.md) of a chain. 0: they are off.",
    { min: 0, max: 8_760 },
    { fallback: "24" },
  ),
};
