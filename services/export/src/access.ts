// Who may call which RPC of the export service, and with which scope for a client.

import type { ExportsService } from "@annals/proto/exports";
import type { Access } from "@annals/rpc";

export const ACCESS: Access<typeof ExportsService> = {
  createExport: { gateway: "export" },
  getExport: { gateway: "export" },
  listExports: { gateway: "export" },
  deleteExport: { gateway: "export" },
  streamExportContent: { gateway: "export" },
  getOutboxPositions: { "webhook-dispatcher": "itself" },
  listOutbox: { "webhook-dispatcher": "itself" },
  listArchives: { gateway: "export" },
  getArchive: { gateway: "export" },
  streamArchiveContent: { gateway: "export" },
  getUsage: { gateway: "any_key" },
  reportState: { keys: "itself" },
};
