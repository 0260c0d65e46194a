// The services that the gateway calls, each over one balanced channel.

import { type Histogram } from "@annals/chassis";
import { clientInterceptors, connectRpc } from "@annals/rpc";
import { ExportsService } from "@annals/proto/exports";
import { KeysService } from "@annals/proto/keys";
import { LedgerService } from "@annals/proto/ledger";
import { WebhooksService } from "@annals/proto/webhooks";
import type { Client } from "@connectrpc/connect";

export interface Clients {
  readonly exports: Client<typeof ExportsService>;
  readonly keys: Client<typeof KeysService>;
  readonly ledger: Client<typeof LedgerService>;
  readonly webhooks: Client<typeof WebhooksService>;
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
  readonly exportAddress: string;
  readonly webhookDispatcherAddress: string;
  readonly duration: Histogram;
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
  // Not asked by `ready`: the gateway serves everything else without it.
  const exports = connectRpc({
    service: ExportsService,
    address: options.exportAddress,
    timeoutMs: TIMEOUT_MS,
    idempotentMethods: ["GetExport", "ListExports"],
    interceptors,
  });
  const webhooks = connectRpc({
    service: WebhooksService,
    address: options.webhookDispatcherAddress,
    timeoutMs: TIMEOUT_MS,
    idempotentMethods: ["ListWebhooks", "UpdateWebhook", "ListDeliveries"],
    interceptors,
  });
  return {
    keys: keys.client,
    ledger: ledger.client,
    exports: exports.client,
    webhooks: webhooks.client,
    ready: async (timeoutMs) => {
      for (const [name, needed] of Object.entries({ keys, ledger })) {
        await needed.ready(timeoutMs).catch(() => {
          throw new Error(`the ${name} service cannot be reached`);
        });
      }
    },
    close: () => {
      for (const client of [keys, ledger, exports, webhooks]) client.close();
    },
  };
}
