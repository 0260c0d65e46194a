// The settings of the ledger.

import {
  databaseSettings,
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
};
