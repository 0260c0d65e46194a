// What each RPC of each service needs when it is called for a client. Called by admission.test.ts. A row must
// be added with an RPC, in the order of its service.

import type { Permission } from "@annals/contract";
import { ExportsService } from "@annals/proto/exports";
import { WebhooksService } from "@annals/proto/webhooks";
import type { DescMethod } from "@bufbuild/protobuf";
import { KeysService, LedgerService } from "../system/services.ts";

/** The scope that each RPC needs when it is called for a client; undefined: no gateway calls it for one. */
export const NEEDED: readonly [service: string, DescMethod, Permission | undefined][] = [
  ["keys", KeysService.method.admitRequests, undefined],
  ["keys", KeysService.method.createApiKey, "keys:manage"],
  ["keys", KeysService.method.listApiKeys, "keys:manage"],
  ["keys", KeysService.method.updateApiKey, "keys:manage"],
  ["keys", KeysService.method.deleteApiKey, "keys:manage"],
  ["keys", KeysService.method.createWidgetToken, "events:read"],
  ["keys", KeysService.method.listWidgetTokens, "events:read"],
  ["keys", KeysService.method.deleteWidgetToken, "events:read"],
  ["keys", KeysService.method.getUsage, "any_key"],
  ["keys", KeysService.method.getSignedHead, undefined],
  ["keys", KeysService.method.signEpoch, undefined],
  ["keys", KeysService.method.signCheckpoint, undefined],
  ["ledger", LedgerService.method.createEvents, "events:write"],
  ["ledger", LedgerService.method.appendEvents, "events:write"],
  ["ledger", LedgerService.method.getEvent, "events:read"],
  ["ledger", LedgerService.method.listEvents, "events:read"],
  ["ledger", LedgerService.method.streamEvents, undefined],
  ["ledger", LedgerService.method.readEvents, undefined],
  ["ledger", LedgerService.method.measureEvents, undefined],
  ["ledger", LedgerService.method.verifyChain, "verify"],
  ["ledger", LedgerService.method.getPositions, undefined],
  ["ledger", LedgerService.method.listOutbox, undefined],
  ["ledger", LedgerService.method.recordAuditEvents, undefined],
  ["ledger", LedgerService.method.getWidgetEvent, "widget"],
  ["ledger", LedgerService.method.listWidgetEvents, "widget"],
  ["ledger", LedgerService.method.listWidgetFilters, "widget"],
  ["ledger", LedgerService.method.getUsage, "any_key"],
  ["export", ExportsService.method.createExport, "export"],
  ["export", ExportsService.method.getExport, "export"],
  ["export", ExportsService.method.listExports, "export"],
  ["export", ExportsService.method.deleteExport, "export"],
  ["export", ExportsService.method.streamExportContent, "export"],
  ["export", ExportsService.method.getOutboxPositions, undefined],
  ["export", ExportsService.method.listOutbox, undefined],
  ["export", ExportsService.method.getUsage, "any_key"],
  ["webhook-dispatcher", WebhooksService.method.createWebhook, "keys:manage"],
  ["webhook-dispatcher", WebhooksService.method.listWebhooks, "keys:manage"],
  ["webhook-dispatcher", WebhooksService.method.updateWebhook, "keys:manage"],
  ["webhook-dispatcher", WebhooksService.method.deleteWebhook, "keys:manage"],
  ["webhook-dispatcher", WebhooksService.method.listDeliveries, "keys:manage"],
  ["webhook-dispatcher", WebhooksService.method.testWebhook, "keys:manage"],
  ["webhook-dispatcher", WebhooksService.method.replayDelivery, "keys:manage"],
  ["webhook-dispatcher", WebhooksService.method.replayEvents, "keys:manage"],
  ["webhook-dispatcher", WebhooksService.method.rotateSecret, "keys:manage"],
  ["webhook-dispatcher", WebhooksService.method.getUsage, "any_key"],
];
