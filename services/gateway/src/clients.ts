// The services that the gateway calls, each over one balanced channel.

import { type Histogram } from "@annals/chassis";
import { Affinity, clientInterceptors, connectRpc, type RpcTls } from "@annals/rpc";
import { ExportsService } from "@annals/proto/exports";
import { KeysService } from "@annals/proto/keys";
import { LedgerService } from "@annals/proto/ledger";
import { WebhooksService } from "@annals/proto/webhooks";
import type { Client } from "@connectrpc/connect";

export interface Clients {
  readonly exports: Client<typeof ExportsService>;
  readonly keys: Client<typeof KeysService>;
  readonly ledger: Client<typeof LedgerService>;
  /** Chooses the ledger of an account's appends. */
  readonly ledgers: Affinity;
  readonly webhooks: Client<typeof WebhooksService>;
}

export interface OpenClients extends Clients {
  /** Resolves when every service can be reached; fails with a sentence naming the first that cannot. */
  ready(timeoutMs: number): Promise<void>;
  close(): void;
}

const KEYS_READS = [
  ...(["ListApiKeys", "UpdateApiKey", "ListWidgetTokens", "GetUsage"] as const),
  ...(["ListRoleMappings", "ListPeople", "ListProviders", "GetSession"] as const),
  ...(["ListWorkloads", "RegisterWorkloadToken"] as const),
];

const LEDGER_READS = [
  ...(["GetEvent", "ListEvents", "VerifyChain", "GetUsage"] as const),
  ...(["GetWidgetEvent", "ListWidgetEvents", "ListWidgetFilters"] as const),
  ...(["CountEvents", "CountValues", "CountWidgetEvents", "CountWidgetValues"] as const),
  ...(["GetLog", "GetWidgetLog", "ReadCheckpoint", "ReadTile", "ReadEntries"] as const),
  ...(["ProveInclusion", "ProveConsistency", "ListHeads", "ReadHeadLog"] as const),
  ...(["ListHolds", "GetErasure", "ListErasures"] as const),
  ...(["ListSearchFields", "ListSearchPaths", "ResolveFilter"] as const),
  ...(["ListSavedSearches", "UpdateSavedSearch"] as const),
];

export function openClients(options: {
  readonly keysAddress: string;
  readonly ledgerAddress: string;
  readonly exportAddress: string;
  readonly webhookDispatcherAddress: string;
  readonly tls: RpcTls;
  readonly duration: Histogram;
}): OpenClients {
  const shared = {
    stopping: undefined,
    tls: options.tls,
    interceptors: clientInterceptors({ duration: options.duration }),
  };
  const keys = connectRpc({
    ...shared,
    service: KeysService,
    peer: "keys",
    address: options.keysAddress,
    idempotentMethods: KEYS_READS,
  });
  const ledgers = new Affinity();
  const ledger = connectRpc({
    ...shared,
    affinity: ledgers,
    service: LedgerService,
    peer: "ledger",
    address: options.ledgerAddress,
    idempotentMethods: LEDGER_READS,
  });
  // Not part of `ready`: the gateway serves everything else without it.
  const exports = connectRpc({
    ...shared,
    service: ExportsService,
    peer: "export",
    address: options.exportAddress,
    idempotentMethods: ["GetArchive", "GetExport", "GetUsage", "ListArchives", "ListExports"],
  });
  const webhooks = connectRpc({
    ...shared,
    service: WebhooksService,
    peer: "webhook-dispatcher",
    address: options.webhookDispatcherAddress,
    idempotentMethods: [
      ...(["ListWebhooks", "UpdateWebhook", "ListDeliveries", "GetUsage"] as const),
      ...(["GetSink", "GetSinkStatus", "ListSinks", "UpdateSink"] as const),
    ],
  });
  return {
    keys: keys.client,
    ledger: ledger.client,
    ledgers,
    exports: exports.client,
    webhooks: webhooks.client,
    ready: (timeoutMs) => allReady({ keys, ledger }, timeoutMs),
    close: () => {
      for (const client of [keys, ledger, exports, webhooks]) client.close();
    },
  };
}

async function allReady(
  needed: Readonly<Record<string, Pick<OpenClients, "ready">>>,
  timeoutMs: number,
): Promise<void> {
  for (const [name, { ready }] of Object.entries(needed)) {
    await ready(timeoutMs).catch(() => {
      throw new Error(`the ${name} service cannot be reached`);
    });
  }
}
