// Who may call which RPC of the ledger, and with which scope for a client.

import type { LedgerService } from "@annals/proto/ledger";
import type { Access } from "@annals/rpc";

export const ACCESS: Access<typeof LedgerService> = {
  createEvents: { gateway: "events:write" },
  appendEvents: { gateway: "events:write" },
  getEvent: { gateway: "events:read" },
  listEvents: { gateway: "events:read", export: "itself" },
  streamEvents: { export: "itself" },
  readEvents: { "webhook-dispatcher": "itself" },
  measureEvents: { "webhook-dispatcher": "itself" },
  verifyChain: { gateway: "verify" },
  getPositions: { "webhook-dispatcher": "itself" },
  listOutbox: { "webhook-dispatcher": "itself" },
  getWidgetEvent: { gateway: "widget" },
  listWidgetEvents: { gateway: "widget" },
  listWidgetFilters: { gateway: "widget" },
  recordAuditEvents: { keys: "itself", export: "itself", "webhook-dispatcher": "itself" },
  getUsage: { gateway: "any_key" },
  getLog: { gateway: "verify", export: "itself" },
  getWidgetLog: { gateway: "widget" },
  readCheckpoint: { gateway: "verify", export: "itself" },
  readTile: { gateway: "verify", export: "itself" },
  readEntries: { gateway: "events:read" },
  proveInclusion: { gateway: "verify" },
  proveConsistency: { gateway: "verify" },
  listHeads: { gateway: "verify", export: "itself" },
  readHeadLog: { gateway: "itself" },
  listAnchorWork: { "webhook-dispatcher": "itself" },
  addAnchor: { "webhook-dispatcher": "itself" },
};
