// The settings of the ledger.

import { databaseSettings, processSettings, rpcServerSettings } from "@annals/chassis";

export const SETTINGS = { ...processSettings, ...rpcServerSettings, ...databaseSettings };
