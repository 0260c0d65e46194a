// The services that say what lags in accounts, each over one balanced channel. Called by serve.ts if the
// admin API is on. Any of them may be unreachable at any time.

import type { Closers, ConfigOf } from "@annals/chassis";
import { ExportsService } from "@annals/proto/exports";
import type { LedgerService } from "@annals/proto/ledger";
import { WebhooksService } from "@annals/proto/webhooks";
import { connectRpc } from "@annals/rpc";
import type { Client } from "@connectrpc/connect";
import type { SETTINGS } from "../config.ts";

export interface StateReporters {
  readonly ledger: Pick<Client<typeof LedgerService>, "reportState">;
  readonly exports: Pick<Client<typeof ExportsService>, "reportState">;
  readonly webhooks: Pick<Client<typeof WebhooksService>, "reportState">;
}

type Shared = Pick<Parameters<typeof connectRpc<typeof ExportsService>>[0], "interceptors" | "tls">;

export function openStateReporters(
  config: Pick<ConfigOf<typeof SETTINGS>, "exportAddress" | "webhookDispatcherAddress">,
  {
    closers,
    ledger,
    ...shared
  }: Shared & Pick<StateReporters, "ledger"> & { readonly closers: Closers },
): StateReporters {
  const idempotentMethods = ["ReportState"] as const;
  const around = { ...shared, idempotentMethods, stopping: closers.stopping };
  const exports = connectRpc({
    ...around,
    service: ExportsService,
    peer: "export",
    address: config.exportAddress,
  });
  closers.add("export client", exports, () => exports.close());
  const webhooks = connectRpc({
    ...around,
    service: WebhooksService,
    peer: "webhook-dispatcher",
    address: config.webhookDispatcherAddress,
  });
  closers.add("webhook dispatcher client", webhooks, () => webhooks.close());
  return { ledger, exports: exports.client, webhooks: webhooks.client };
}
