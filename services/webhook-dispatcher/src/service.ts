// The table of contents: every RPC of the webhook dispatcher and its handler.

import { WebhooksService } from "@annals/proto/webhooks";
import type { ConnectRouter } from "@connectrpc/connect";
import { createSink, type CreateSinkDeps } from "./sinks/rpc/create-sink.ts";
import { createWebhook, type CreateWebhookDeps } from "./webhooks/rpc/create-webhook.ts";
import { deleteSink } from "./sinks/rpc/delete-sink.ts";
import { deleteWebhook, type DeleteWebhookDeps } from "./webhooks/rpc/delete-webhook.ts";
import { getSinkStatus, type GetSinkStatusDeps } from "./sinks/rpc/get-sink-status.ts";
import { getSink } from "./sinks/rpc/get-sink.ts";
import { getUsage, type GetUsageDeps } from "./usage/rpc/get-usage.ts";
import { listDeliveries } from "./deliveries/rpc/list-deliveries.ts";
import { listSinks } from "./sinks/rpc/list-sinks.ts";
import { listWebhooks } from "./webhooks/rpc/list-webhooks.ts";
import type { QueueDeliveriesDeps } from "./deliveries/queue-deliveries.ts";
import { replayDelivery, type ReplayDeps } from "./deliveries/rpc/replay-delivery.ts";
import { replayEvents } from "./deliveries/rpc/replay-events.ts";
import { replaySink } from "./sinks/rpc/replay-sink.ts";
import { reportState, type ReportStateDeps } from "./states/rpc/report-state.ts";
import { rotateSecret, type RotateSecretDeps } from "./webhooks/rpc/rotate-secret.ts";
import { skipSinkRecord, type SkipSinkRecordDeps } from "./sinks/rpc/skip-sink-record.ts";
import { testSink, type TestSinkDeps } from "./sinks/rpc/test-sink.ts";
import { testWebhook } from "./webhooks/rpc/test-webhook.ts";
import { updateSink, type UpdateSinkDeps } from "./sinks/rpc/update-sink.ts";
import { updateWebhook, type UpdateWebhookDeps } from "./webhooks/rpc/update-webhook.ts";

export type Deps = CreateWebhookDeps &
  UpdateWebhookDeps &
  DeleteWebhookDeps &
  QueueDeliveriesDeps &
  ReplayDeps &
  RotateSecretDeps &
  CreateSinkDeps &
  UpdateSinkDeps &
  TestSinkDeps &
  SkipSinkRecordDeps &
  GetSinkStatusDeps &
  GetUsageDeps &
  ReportStateDeps;

export function webhooksService(deps: Deps): (router: ConnectRouter) => void {
  return (router) =>
    router.service(WebhooksService, {
      createWebhook: createWebhook(deps),
      listWebhooks: listWebhooks(deps),
      updateWebhook: updateWebhook(deps),
      deleteWebhook: deleteWebhook(deps),
      listDeliveries: listDeliveries(deps),
      testWebhook: testWebhook(deps),
      replayDelivery: replayDelivery(deps),
      replayEvents: replayEvents(deps),
      rotateSecret: rotateSecret(deps),
      createSink: createSink(deps),
      getSink: getSink(deps),
      listSinks: listSinks(deps),
      updateSink: updateSink(deps),
      deleteSink: deleteSink(deps),
      testSink: testSink(deps),
      replaySink: replaySink(deps),
      skipSinkRecord: skipSinkRecord(deps),
      getSinkStatus: getSinkStatus(deps),
      getUsage: getUsage(deps),
      reportState: reportState(deps),
    });
}
