// The table of contents: every RPC of the keys service and its handler.

import type { ComparedClock } from "@annals/contract";
import { KeysService } from "@annals/proto/keys";
import type { ConnectRouter } from "@connectrpc/connect";
import type { AdmissionSigner } from "@annals/rpc";
import type { Pool } from "@annals/postgres";
import type { KeyMaker } from "./domain/new-api-key.ts";
import type { Plans } from "./domain/plan.ts";
import type { LogSigner } from "./evidence/log-signer.ts";
import type { Metrics } from "./metrics.ts";
import type { LastUses } from "./workers/last-uses.ts";
import type { RefusedAdmissions } from "./workers/refused-admissions.ts";
import { admitRequests } from "./rpc/admit-requests.ts";
import { createApiKey } from "./rpc/create-api-key.ts";
import { createWidgetToken } from "./rpc/create-widget-token.ts";
import { deleteApiKey } from "./rpc/delete-api-key.ts";
import { deleteWidgetToken } from "./rpc/delete-widget-token.ts";
import { getSignedHead } from "./rpc/get-signed-head.ts";
import { getUsage } from "./rpc/get-usage.ts";
import { listApiKeys } from "./rpc/list-api-keys.ts";
import { listRetentions } from "./rpc/list-retentions.ts";
import { listWidgetTokens } from "./rpc/list-widget-tokens.ts";
import { signCheckpoint } from "./rpc/sign-checkpoint.ts";
import { signEpoch } from "./rpc/sign-epoch.ts";
import { updateApiKey } from "./rpc/update-api-key.ts";

export interface Deps extends KeyMaker {
  /** Connections that admission alone has. */
  readonly admission: Pool;
  readonly admissions: AdmissionSigner;
  readonly clock: ComparedClock;
  readonly database: Pool;
  readonly lastUses: LastUses;
  readonly metrics: Metrics;
  readonly plans: Plans;
  readonly rateLimitPerMinute: number;
  readonly intakeRateLimitPerMinute: number;
  readonly logRateLimitPerMinute: number;
  readonly widgetRateLimitPerMinute: number;
  readonly refused: RefusedAdmissions;
  readonly signer: LogSigner;
}

export function keysService(deps: Deps): (router: ConnectRouter) => void {
  return (router) =>
    router.service(KeysService, {
      admitRequests: admitRequests({ ...deps, database: deps.admission }),
      createApiKey: createApiKey(deps),
      listApiKeys: listApiKeys(deps),
      updateApiKey: updateApiKey(deps),
      deleteApiKey: deleteApiKey(deps),
      createWidgetToken: createWidgetToken(deps),
      listWidgetTokens: listWidgetTokens(deps),
      deleteWidgetToken: deleteWidgetToken(deps),
      getUsage: getUsage(deps),
      getSignedHead: getSignedHead(deps),
      signEpoch: signEpoch(deps),
      signCheckpoint: signCheckpoint(deps),
      listRetentions: listRetentions(deps),
    });
}
