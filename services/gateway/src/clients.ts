// The services that the gateway calls, each over one balanced channel.

import { clientInterceptors, connectRpc, type Histogram, type RpcClient } from "@annals/chassis";
import { KeysService } from "@annals/proto/keys";
import { LedgerService } from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";

export interface Clients {
  readonly keys: Client<typeof KeysService>;
  readonly ledger: Client<typeof LedgerService>;
}

export interface OpenClients extends Clients {
  /** Resolves when every service can be reached; fails with a sentence naming the first that cannot. */
  ready(timeoutMs: number): Promise<void>;
  close(): void;
}

/** A request that waits longer for one of our services is answered with server_error. */
const TIMEOUT_MS = 10_000;

export function openClients(options: {
  readonly keysAddress: string;
  readonly ledgerAddress: string;
  readonly duration: Histogram<string>;
}): OpenClients {
  const interceptors = clientInterceptors({ duration: options.duration });
  const keys = connectRpc({
    service: KeysService,
    address: options.keysAddress,
    timeoutMs: TIMEOUT_MS,
    idempotentMethods: ["ListApiKeys", "UpdateApiKey"],
    interceptors,
  });
  const ledger = connectRpc({
    service: LedgerService,
    address: options.ledgerAddress,
    timeoutMs: TIMEOUT_MS,
    idempotentMethods: ["GetEvent", "ListEvents", "VerifyChain"],
    interceptors,
  });
  const all: readonly [string, RpcClient<never>][] = [
    ["keys", keys as unknown as RpcClient<never>],
    ["ledger", ledger as unknown as RpcClient<never>],
  ];
  return {
    keys: keys.client,
    ledger: ledger.client,
    ready: async (timeoutMs) => {
      for (const [name, { ready }] of all) {
        await ready(timeoutMs).catch(() => {
          throw new Error(`the ${name} service cannot be reached`);
        });
      }
    },
    close: () => all.forEach(([, { close }]) => close()),
  };
}
