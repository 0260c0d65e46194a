// The table of contents: every RPC of the ledger and its handler.

import type { Logger } from "@annals/chassis";
import type { Clock, DatabaseClock, Turns } from "@annals/contract";
import type { Notices } from "@annals/messaging";
import type { AdmissionVerifier } from "@annals/rpc";
import type { Pool } from "@annals/postgres";
import { LedgerService } from "@annals/proto/ledger";
import type { ConnectRouter } from "@connectrpc/connect";
import type { Metrics } from "./metrics.ts";
import { cancelErasure } from "./rpc/cancel-erasure.ts";
import { confirmArchive } from "./rpc/confirm-archive.ts";
import { confirmErasure } from "./rpc/confirm-erasure.ts";
import { createErasure } from "./rpc/create-erasure.ts";
import { getErasure } from "./rpc/get-erasure.ts";
import { listErasures } from "./rpc/list-erasures.ts";
import { listOpenErasures } from "./rpc/list-open-erasures.ts";
import { addAnchor } from "./rpc/add-anchor.ts";
import { appendEvents } from "./rpc/append-events.ts";
import { createEvents } from "./rpc/create-events.ts";
import { getCheckpointPositions } from "./rpc/get-checkpoint-positions.ts";
import { getEvent } from "./rpc/get-event.ts";
import { getWidgetEvent } from "./rpc/get-widget-event.ts";
import { getLog } from "./rpc/get-log.ts";
import { getWidgetLog } from "./rpc/get-widget-log.ts";
import { getPositions } from "./rpc/get-positions.ts";
import { listAccounts } from "./rpc/list-accounts.ts";
import { getRetention } from "./rpc/get-retention.ts";
import { getUsage } from "./rpc/get-usage.ts";
import { listAnchorWork } from "./rpc/list-anchor-work.ts";
import { listCheckpoints } from "./rpc/list-checkpoints.ts";
import { listEvents } from "./rpc/list-events.ts";
import { listHeads } from "./rpc/list-heads.ts";
import { listLifecycles } from "./rpc/list-lifecycles.ts";
import { listHolds } from "./rpc/list-holds.ts";
import { listWidgetEvents } from "./rpc/list-widget-events.ts";
import { listWidgetFilters } from "./rpc/list-widget-filters.ts";
import { listOutbox } from "./rpc/list-outbox.ts";
import { measureEvents } from "./rpc/measure-events.ts";
import { placeHold } from "./rpc/place-hold.ts";
import { readCheckpoint } from "./rpc/read-checkpoint.ts";
import { readHeadLog } from "./rpc/read-head-log.ts";
import { proveConsistency } from "./rpc/prove-consistency.ts";
import { proveInclusion } from "./rpc/prove-inclusion.ts";
import { readEntries } from "./rpc/read-entries.ts";
import { readEvents } from "./rpc/read-events.ts";
import { readTile } from "./rpc/read-tile.ts";
import { recordAuditEvents } from "./rpc/record-audit-events.ts";
import { releaseHold } from "./rpc/release-hold.ts";
import { reportErasureMatches } from "./rpc/report-erasure-matches.ts";
import type { PlanReads } from "./append/plan-retention.ts";
import { setRetention } from "./rpc/set-retention.ts";
import { streamEvents } from "./rpc/stream-events.ts";
import { verifyChain } from "./rpc/verify-chain.ts";
import type { ErasureCopies } from "./domain/erasure-copies.ts";
import type { PageBounds } from "./search/read-page.ts";
import type { SearchTurns } from "./search/search-turns.ts";
import type { AppendQueue } from "./append/append-queue.ts";
import type { LogKeys } from "./evidence/log-keys.ts";
import type { ReceiptCheck } from "./domain/receipt-time.ts";
import type { LogPolicy } from "./evidence/log-policy.ts";
import type { BlockChecker } from "./verify/block-checker.ts";

export interface Deps {
  readonly admissions: AdmissionVerifier;
  readonly appends: AppendQueue;
  readonly auditInAccounts: boolean;
  readonly blocks: BlockChecker;
  readonly checkReceipt: ReceiptCheck;
  readonly clock: Clock;
  readonly database: Pool;
  /** Decides how long events are kept. */
  readonly databaseClock: DatabaseClock;
  readonly erasureCopies: ErasureCopies;
  readonly erasureDelayHours: number;
  readonly keys: LogKeys & PlanReads;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly notices: Notices;
  /** Bounds of each page of a list; by default those of its handler. */
  readonly pageBounds?: PageBounds | undefined;
  readonly policy: LogPolicy;
  readonly random: (size: number) => Uint8Array;
  readonly searches: SearchTurns;
  readonly turns: Turns;
}

export function ledgerService(deps: Deps): (router: ConnectRouter) => void {
  const kept = { ...deps, clock: deps.databaseClock };
  return (router) =>
    router.service(LedgerService, {
      createEvents: createEvents(deps),
      appendEvents: appendEvents(deps),
      getEvent: getEvent(deps),
      listEvents: listEvents(deps),
      streamEvents: streamEvents(deps),
      readEvents: readEvents(deps),
      measureEvents: measureEvents(deps),
      verifyChain: verifyChain(deps),
      getPositions: getPositions(deps),
      listAccounts: listAccounts(deps),
      listOutbox: listOutbox(deps),
      recordAuditEvents: recordAuditEvents(deps),
      getWidgetEvent: getWidgetEvent(deps),
      listWidgetEvents: listWidgetEvents(deps),
      listWidgetFilters: listWidgetFilters(deps),
      getUsage: getUsage(deps),
      getLog: getLog(deps),
      getWidgetLog: getWidgetLog(deps),
      readCheckpoint: readCheckpoint(deps),
      listHeads: listHeads(deps),
      getCheckpointPositions: getCheckpointPositions(deps),
      listCheckpoints: listCheckpoints(deps),
      readHeadLog: readHeadLog(deps),
      listAnchorWork: listAnchorWork(deps),
      addAnchor: addAnchor(deps),
      placeHold: placeHold(deps),
      releaseHold: releaseHold(deps),
      listHolds: listHolds(deps),
      createErasure: createErasure(deps),
      getErasure: getErasure(deps),
      listErasures: listErasures(deps),
      cancelErasure: cancelErasure(deps),
      listOpenErasures: listOpenErasures(deps),
      confirmErasure: confirmErasure(deps),
      reportErasureMatches: reportErasureMatches(deps),
      getRetention: getRetention(kept),
      setRetention: setRetention(kept),
      listLifecycles: listLifecycles(kept),
      confirmArchive: confirmArchive(deps),
      readTile: readTile(deps),
      readEntries: readEntries(deps),
      proveInclusion: proveInclusion(deps),
      proveConsistency: proveConsistency(deps),
    });
}
