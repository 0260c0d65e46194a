// What an installation decides for the configurations of sinks (libs/interface): which URLs are sent to, and
// whose credentials. Built by serve.ts, and by operator-sinks-file.ts for the sinks of the operator.

import type { ConfigRules } from "@annals/interface";
import { type AddressGuard, hostOf, UrlFault } from "../outbound/address-guard.ts";

export function configRules(guard: AddressGuard, allowProcessCredentials: boolean): ConfigRules {
  return {
    allowProcessCredentials,
    readUrl: (given) => {
      try {
        const url = guard.readUrl(given);
        return { url, host: hostOf(url) };
      } catch (error) {
        if (error instanceof UrlFault) return { fault: error.message };
        throw error;
      }
    },
  };
}
