// Who may call which RPC of the webhook dispatcher, and with which scope for a client.

import type { WebhooksService } from "@annals/proto/webhooks";
import type { Access } from "@annals/rpc";

export const ACCESS: Access<typeof WebhooksService> = {
  createWebhook: { gateway: "keys:manage" },
  listWebhooks: { gateway: "keys:manage" },
  updateWebhook: { gateway: "keys:manage" },
  deleteWebhook: { gateway: "keys:manage" },
  listDeliveries: { gateway: "keys:manage" },
  testWebhook: { gateway: "keys:manage" },
  replayDelivery: { gateway: "keys:manage" },
  replayEvents: { gateway: "keys:manage" },
  rotateSecret: { gateway: "keys:manage" },
  createSink: { gateway: "keys:manage" },
  getSink: { gateway: "keys:manage" },
  listSinks: { gateway: "keys:manage" },
  updateSink: { gateway: "keys:manage" },
  deleteSink: { gateway: "keys:manage" },
  testSink: { gateway: "keys:manage" },
  replaySink: { gateway: "keys:manage" },
  skipSinkRecord: { gateway: "keys:manage" },
  getSinkStatus: { gateway: "keys:manage" },
  getUsage: { gateway: "any_key" },
  reportState: { keys: "itself" },
};
