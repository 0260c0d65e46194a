// The table of contents: every RPC of the ledger and its handler.

import type { Logger } from "@annals/chassis";
import type { Clock, DatabaseClock, Turns } from "@annals/contract";
import type { Notices } from "@annals/messaging";
import type { AdmissionVerifier } from "@annals/rpc";
import type { Pool } from "@annals/postgres";
import { LedgerService } from "@annals/proto/ledger";
import type { ConnectRouter } from "@connectrpc/connect";
import type { Metrics } from "./metrics.ts";
import { cancelErasure } from "./erasures/rpc/cancel-erasure.ts";
import { confirmArchive } from "./retention/rpc/confirm-archive.ts";
import { confirmErasure } from "./erasures/rpc/confirm-erasure.ts";
import { createErasure } from "./erasures/rpc/create-erasure.ts";
import { getErasure } from "./erasures/rpc/get-erasure.ts";
import { listErasures } from "./erasures/rpc/list-erasures.ts";
import { listOpenErasures } from "./erasures/rpc/list-open-erasures.ts";
import { addAnchor } from "./log/rpc/add-anchor.ts";
import { appendEvents } from "./append/rpc/append-events.ts";
import { createEvents } from "./append/rpc/create-events.ts";
import { getCheckpointPositions } from "./log/rpc/get-checkpoint-positions.ts";
import { getEvent } from "./events/rpc/get-event.ts";
import { getWidgetEvent } from "./events/rpc/get-widget-event.ts";
import { getLog } from "./log/rpc/get-log.ts";
import { getWidgetLog } from "./log/rpc/get-widget-log.ts";
import { getPositions } from "./events/rpc/get-positions.ts";
import { listAccounts } from "./events/rpc/list-accounts.ts";
import { getRetention } from "./retention/rpc/get-retention.ts";
import { getUsage } from "./events/rpc/get-usage.ts";
import { listAnchorWork } from "./log/rpc/list-anchor-work.ts";
import { listCheckpoints } from "./log/rpc/list-checkpoints.ts";
import { listEvents } from "./events/rpc/list-events.ts";
import { listHeads } from "./log/rpc/list-heads.ts";
import { listLifecycles } from "./retention/rpc/list-lifecycles.ts";
import { listHolds } from "./holds/rpc/list-holds.ts";
import { listWidgetEvents } from "./events/rpc/list-widget-events.ts";
import { listWidgetFilters } from "./events/rpc/list-widget-filters.ts";
import { listOutbox } from "./events/rpc/list-outbox.ts";
import { measureEvents } from "./events/rpc/measure-events.ts";
import { countEvents } from "./counts/rpc/count-events.ts";
import { countValues } from "./counts/rpc/count-values.ts";
import { countWidgetEvents } from "./counts/rpc/count-widget-events.ts";
import { countWidgetValues } from "./counts/rpc/count-widget-values.ts";
import type { CountBounds } from "./counts/count-events.ts";
import { createSearchField } from "./search/rpc/create-search-field.ts";
import { createSavedSearch } from "./search/rpc/create-saved-search.ts";
import { deleteSavedSearch } from "./search/rpc/delete-saved-search.ts";
import { listSavedSearches } from "./search/rpc/list-saved-searches.ts";
import { updateSavedSearch } from "./search/rpc/update-saved-search.ts";
import { deleteSearchField } from "./search/rpc/delete-search-field.ts";
import { listSearchFields } from "./search/rpc/list-search-fields.ts";
import { listSearchPaths } from "./search/rpc/list-search-paths.ts";
import { resolveFilter } from "./search/rpc/resolve-filter.ts";
import { placeHold } from "./holds/rpc/place-hold.ts";
import { readCheckpoint } from "./log/rpc/read-checkpoint.ts";
import { readHeadLog } from "./log/rpc/read-head-log.ts";
import { proveConsistency } from "./log/rpc/prove-consistency.ts";
import { proveInclusion } from "./log/rpc/prove-inclusion.ts";
import { readEntries } from "./log/rpc/read-entries.ts";
import { readEvents } from "./events/rpc/read-events.ts";
import { readTile } from "./log/rpc/read-tile.ts";
import { recordAuditEvents } from "./audit/rpc/record-audit-events.ts";
import { releaseHold } from "./holds/rpc/release-hold.ts";
import { reportErasureMatches } from "./erasures/rpc/report-erasure-matches.ts";
import type { PlanReads } from "./retention/plan-retention.ts";
import { reportState } from "./states/rpc/report-state.ts";
import { setRetention } from "./retention/rpc/set-retention.ts";
import { streamEvents } from "./events/rpc/stream-events.ts";
import { verifyChain } from "./verify/rpc/verify-chain.ts";
import type { ErasureCopies } from "./erasures/rules/erasure-copies.ts";
import type { PageBounds } from "./search/read-page.ts";
import type { SearchTurns } from "./search/search-turns.ts";
import type { GrownChains } from "./append/grown-chains.ts";
import type { AppendQueue } from "./append/append-queue.ts";
import type { LogKeys } from "./log/log-keys.ts";
import type { ReceiptCheck } from "./append/rules/receipt-time.ts";
import type { LogPolicy } from "./log/log-policy.ts";
import type { BlockChecker } from "./verify/block-checker.ts";

export interface Deps {
  readonly admissions: AdmissionVerifier;
  readonly appends: AppendQueue;
  readonly auditInAccounts: boolean;
  readonly blocks: BlockChecker;
  readonly checkReceipt: ReceiptCheck;
  readonly clock: Clock;
  /** Bounds of each count; by default those of its handler. */
  readonly countBounds?: CountBounds | undefined;
  readonly database: Pool;
  /** Decides how long events are kept. */
  readonly databaseClock: DatabaseClock;
  readonly erasureCopies: ErasureCopies;
  readonly grown: Pick<GrownChains, "declare">;
  readonly erasureDelayHours: number;
  readonly idempotencyHours: number;
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
  // The clock of the database decides how long events are kept.
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
      countEvents: countEvents(deps),
      countValues: countValues(deps),
      countWidgetEvents: countWidgetEvents(deps),
      countWidgetValues: countWidgetValues(deps),
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
      ...searches(deps),
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
      reportState: reportState(deps),
      readTile: readTile(deps),
      readEntries: readEntries(deps),
      proveInclusion: proveInclusion(deps),
      proveConsistency: proveConsistency(deps),
    });
}

/** What is declared and kept for searches. */
function searches(deps: Deps) {
  return {
    createSearchField: createSearchField(deps),
    listSearchFields: listSearchFields(deps),
    listSearchPaths: listSearchPaths(deps),
    deleteSearchField: deleteSearchField(deps),
    createSavedSearch: createSavedSearch(deps),
    listSavedSearches: listSavedSearches(deps),
    updateSavedSearch: updateSavedSearch(deps),
    deleteSavedSearch: deleteSavedSearch(deps),
    resolveFilter: resolveFilter(deps),
  };
}
