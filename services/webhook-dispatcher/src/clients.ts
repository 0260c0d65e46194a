// The clients of the ledger and the export service, each over one balanced channel. Called by serve.ts.
// Either service may be unreachable at any time.

import { type Registry, rpcClientDuration } from "@annals/chassis";
import { clientInterceptors, connectRpc, type RpcTls } from "@annals/rpc";
import { ExportsService } from "@annals/proto/exports";
import { LedgerService } from "@annals/proto/ledger";
import type { AuditHandOverDeps } from "@annals/postgres";
import { Producers } from "./outbound/producers.ts";
import type { AnchorLedger } from "./workers/anchor-deps.ts";

export interface OpenProducers extends Pick<
  Producers,
  "entries" | "events" | "measure" | "positions"
> {
  /** What the ledger does for the anchors of the log. */
  readonly anchors: AnchorLedger;
  /** Hands audit entries over to the ledger. */
  readonly recordAudit: AuditHandOverDeps["send"];
  close(): void;
}

export function openProducers(
  config: {
    readonly ledgerAddress: string;
    readonly exportAddress: string | undefined;
    readonly tls: RpcTls;
  },
  registry: Registry,
): OpenProducers {
  const interceptors = clientInterceptors({ duration: rpcClientDuration(registry) });
  const ledger = connectRpc({
    service: LedgerService,
    peer: "ledger",
    tls: config.tls,
    address: config.ledgerAddress,
    idempotentMethods: [
      "AddAnchor",
      "GetPositions",
      "ListAnchorWork",
      "ListOutbox",
      "MeasureEvents",
      "ReadEvents",
      "RecordAuditEvents",
    ],
    interceptors,
  });
  const exports =
    config.exportAddress === undefined
      ? undefined
      : connectRpc({
          service: ExportsService,
          peer: "export",
          tls: config.tls,
          address: config.exportAddress,
          idempotentMethods: ["GetOutboxPositions", "ListOutbox"],
          interceptors,
        });
  const producers = new Producers({ ledger: ledger.client, exports: exports?.client });
  return {
    anchors: ledger.client,
    entries: (...given) => producers.entries(...given),
    events: (...given) => producers.events(...given),
    measure: (...given) => producers.measure(...given),
    positions: (...given) => producers.positions(...given),
    recordAudit: async (entries, signal) =>
      (await ledger.client.recordAuditEvents({ entries: [...entries] }, { signal })).storedIds,
    close: () => {
      ledger.close();
      exports?.close();
    },
  };
}
