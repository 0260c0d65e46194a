// The table of contents: every RPC of the export service and its handler.

import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { ExportsService } from "@annals/proto/exports";
import type { LedgerService } from "@annals/proto/ledger";
import type { Client, ConnectRouter } from "@connectrpc/connect";
import type { Storage } from "./storage/storage.ts";
import type { ExportLimits } from "./exports/rules/export-limits.ts";
import { createExport } from "./exports/rpc/create-export.ts";
import { deleteExport } from "./exports/rpc/delete-export.ts";
import { getArchive } from "./archives/rpc/get-archive.ts";
import { getExport } from "./exports/rpc/get-export.ts";
import { getOutboxPositions } from "./exports/rpc/get-outbox-positions.ts";
import { getUsage } from "./usage/rpc/get-usage.ts";
import { listArchives } from "./archives/rpc/list-archives.ts";
import { listExports } from "./exports/rpc/list-exports.ts";
import { reportState } from "./states/rpc/report-state.ts";
import { listOutbox } from "./exports/rpc/list-outbox.ts";
import { streamArchiveContent } from "./archives/rpc/stream-archive-content.ts";
import { streamExportContent } from "./exports/rpc/stream-export-content.ts";

export interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly ledger: Pick<Client<typeof LedgerService>, "listEvents" | "readCheckpoint">;
  readonly limits: ExportLimits;
  /** Days after which an export expires; 0: never. */
  readonly retentionDays: number;
  readonly random: (size: number) => Uint8Array;
  readonly storage: Storage;
  /** Called when an export was deleted. */
  readonly onDeleted: () => void;
  /** Called when a job was queued. */
  readonly wake: (jobId: string) => void;
}

export function exportsService(deps: Deps): (router: ConnectRouter) => void {
  return (router) =>
    router.service(ExportsService, {
      createExport: createExport(deps),
      deleteExport: deleteExport(deps),
      getExport: getExport(deps),
      listExports: listExports(deps),
      streamExportContent: streamExportContent(deps),
      getOutboxPositions: getOutboxPositions(deps),
      listOutbox: listOutbox(deps),
      listArchives: listArchives(deps),
      getArchive: getArchive(deps),
      streamArchiveContent: streamArchiveContent(deps),
      getUsage: getUsage(deps),
      reportState: reportState(deps),
    });
}
