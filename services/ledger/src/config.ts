// The settings of the ledger.

import { databaseSettings, processSettings, rpcServerSettings } from "@annals/chassis";
import { messagingSettings } from "@annals/messaging";

export const SETTINGS = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...messagingSettings,
};
