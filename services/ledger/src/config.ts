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
  indexPaused: flag(
    "ANNALS_LEDGER_INDEX_PAUSED",
    "Whether new events are left out of the filter index. Lists with filters are complete and become slower.",
  ),
};
