// The settings of the ledger.

import {
  databaseSettings,
  flag,
  processSettings,
  rpcServerSettings,
  rpcTlsSettings,
} from "@annals/chassis";
import { messagingSettings } from "@annals/messaging";

export const SETTINGS = {
  ...processSettings,
  ...rpcServerSettings,
  ...rpcTlsSettings,
  ...databaseSettings,
  ...messagingSettings,
  auditInAccounts: flag(
    "ANNALS_AUDIT_IN_ACCOUNTS",
    "Whether changes of an account are recorded in its own chain too. Clients may then store no action that begins with `annals.`.",
  ),
  indexPaused: flag(
    "ANNALS_LEDGER_INDEX_PAUSED",
    "Whether new events are left out of the filter index. Lists with filters are complete and become slower.",
  ),
};
