// The clients of the ledger and the export service, each over one balanced channel. Called by serve.ts.
// Either service may be unreachable at any time.

import { type Registry, rpcClientDuration } from "@annals/chassis";
import { clientInterceptors, connectRpc, type ErasureLedger, type RpcTls } from "@annals/rpc";
import { ExportsService } from "@annals/proto/exports";
import { LedgerService } from "@annals/proto/ledger";
import type { AuditHandOverDeps } from "@annals/postgres";
import { Producers } from "./outbound/producers.ts";
import type { SinkLedger } from "./sinks/receiver/sink-events.ts";
import type { AnchorLedger } from "./anchors/worker/anchor-deps.ts";
import type { OperatorSinksDeps } from "./sinks/worker/operator-sinks.ts";

export interface OpenProducers extends Pick<
  Producers,
  "checkpoints" | "entries" | "events" | "fieldValues" | "measure" | "positions" | "retainedFrom"
> {
  /** What the ledger does for the anchors of the log. */
  readonly anchors: AnchorLedger;
  /** The erasures of the ledger that wait for this service. */
  readonly erasures: ErasureLedger;
  /** The streams of events for sinks, and the accounts that have a chain. */
  readonly streams: SinkLedger & OperatorSinksDeps["accounts"];
  /** Hands audit entries over to the ledger. */
  readonly recordAudit: AuditHandOverDeps["send"];
  close(): void;
}

/** Calls of the ledger that may be made again. */
const IDEMPOTENT = [
  "AddAnchor",
  "ConfirmErasure",
  "GetCheckpointPositions",
  "GetPositions",
  "ListAccounts",
  "ListAnchorWork",
  "ListCheckpoints",
  "ListOpenErasures",
  "ListOutbox",
  "MeasureEvents",
  "ReadEvents",
  "ReadHeadLog",
  "RecordAuditEvents",
] as const;

export function openProducers(
  config: {
    readonly ledgerAddress: string;
    readonly exportAddress: string | undefined;
    readonly stopping: AbortSignal;
    readonly tls: RpcTls;
  },
  registry: Registry,
): OpenProducers {
  const interceptors = clientInterceptors({ duration: rpcClientDuration(registry) });
  const ledger = connectRpc({
    service: LedgerService,
    peer: "ledger",
    stopping: config.stopping,
    tls: config.tls,
    address: config.ledgerAddress,
    idempotentMethods: IDEMPOTENT,
    interceptors,
  });
  const exports =
    config.exportAddress === undefined
      ? undefined
      : connectRpc({
          service: ExportsService,
          peer: "export",
          stopping: config.stopping,
          tls: config.tls,
          address: config.exportAddress,
          idempotentMethods: ["GetOutboxPositions", "ListOutbox"],
          interceptors,
        });
  const producers = new Producers({ ledger: ledger.client, exports: exports?.client });
  return {
    anchors: ledger.client,
    erasures: ledger.client,
    streams: ledger.client,
    checkpoints: (...given) => producers.checkpoints(...given),
    entries: (...given) => producers.entries(...given),
    events: (...given) => producers.events(...given),
    fieldValues: (...given) => producers.fieldValues(...given),
    measure: (...given) => producers.measure(...given),
    positions: (...given) => producers.positions(...given),
    retainedFrom: (...given) => producers.retainedFrom(...given),
    recordAudit: async (entries, signal) =>
      (await ledger.client.recordAuditEvents({ entries: [...entries] }, { signal })).storedIds,
    close: () => {
      ledger.close();
      exports?.close();
    },
  };
}
