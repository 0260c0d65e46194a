// The table of contents: every RPC of the keys service and its handler.

import type { Logger } from "@annals/chassis";
import type { ComparedClock } from "@annals/contract";
import { KeysService } from "@annals/proto/keys";
import type { ConnectRouter } from "@connectrpc/connect";
import type { AdmissionSecrets, AdmissionSigner } from "@annals/rpc";
import type { Pool } from "@annals/postgres";
import type { KeyMaker } from "./api-keys/rules/new-api-key.ts";
import type { Plans } from "./accounts/rules/plan.ts";
import type { LogSigner } from "./log-signing/log-signer.ts";
import type { Identities } from "./identity/identity-file.ts";
import type { Issuers } from "./outbound/open-issuers.ts";
import type { Providers } from "./outbound/open-providers.ts";
import type { Metrics } from "./metrics.ts";
import type { LastUses } from "./admissions/last-uses.ts";
import type { RefusedAdmissions } from "./admissions/refused-admissions.ts";
import type { RefusedLogins } from "./sessions/refused-logins.ts";
import { admitRequests } from "./admissions/rpc/admit-requests.ts";
import { createApiKey } from "./api-keys/rpc/create-api-key.ts";
import { createWidgetToken } from "./widget-tokens/rpc/create-widget-token.ts";
import { deleteApiKey } from "./api-keys/rpc/delete-api-key.ts";
import { deleteWidgetToken } from "./widget-tokens/rpc/delete-widget-token.ts";
import { getSignedHead } from "./log-signing/rpc/get-signed-head.ts";
import { getUsage } from "./accounts/rpc/get-usage.ts";
import { listApiKeys } from "./api-keys/rpc/list-api-keys.ts";
import { listRetentions } from "./accounts/rpc/list-retentions.ts";
import { listWidgetTokens } from "./widget-tokens/rpc/list-widget-tokens.ts";
import { signCheckpoint } from "./log-signing/rpc/sign-checkpoint.ts";
import { signEpoch } from "./log-signing/rpc/sign-epoch.ts";
import { listProviders } from "./sessions/rpc/list-providers.ts";
import { beginLogin } from "./sessions/rpc/begin-login.ts";
import { finishLogin } from "./sessions/rpc/finish-login.ts";
import { getSession } from "./sessions/rpc/get-session.ts";
import { createAccessToken } from "./access-tokens/rpc/create-access-token.ts";
import { endSession } from "./sessions/rpc/end-session.ts";
import { endProviderSessions } from "./sessions/rpc/end-provider-sessions.ts";
import { createRoleMapping } from "./role-mappings/rpc/create-role-mapping.ts";
import { deleteRoleMapping } from "./role-mappings/rpc/delete-role-mapping.ts";
import { listPeople } from "./people/rpc/list-people.ts";
import { listRoleMappings } from "./role-mappings/rpc/list-role-mappings.ts";
import { createWorkload } from "./workloads/rpc/create-workload.ts";
import { deleteWorkload } from "./workloads/rpc/delete-workload.ts";
import { listWorkloads } from "./workloads/rpc/list-workloads.ts";
import { registerWorkloadToken } from "./workloads/rpc/register-workload-token.ts";
import { updateApiKey } from "./api-keys/rpc/update-api-key.ts";

export interface Deps extends KeyMaker {
  /** Connections that admission alone has. */
  readonly admission: Pool;
  readonly admissions: AdmissionSigner;
  readonly clock: ComparedClock;
  readonly database: Pool;
  readonly idempotencyHours: number;
  readonly issuers: Issuers;
  readonly lastUses: LastUses;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly plans: Plans;
  readonly rateLimitPerMinute: number;
  readonly intakeRateLimitPerMinute: number;
  readonly logRateLimitPerMinute: number;
  readonly widgetRateLimitPerMinute: number;
  readonly personRateLimitPerMinute: number;
  readonly identities: Identities;
  readonly providers: Providers;
  readonly refused: RefusedAdmissions;
  readonly refusedLogins: RefusedLogins;
  readonly secrets: AdmissionSecrets;
  readonly sessionIdleMinutes: number;
  readonly sessionLifetimeMinutes: number;
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
      listProviders: listProviders(deps),
      beginLogin: beginLogin(deps),
      finishLogin: finishLogin({ ...deps, logins: deps.metrics.logins }),
      getSession: getSession(deps),
      createAccessToken: createAccessToken(deps),
      endSession: endSession(deps),
      endProviderSessions: endProviderSessions(deps),
      createRoleMapping: createRoleMapping(deps),
      listRoleMappings: listRoleMappings(deps),
      deleteRoleMapping: deleteRoleMapping(deps),
      listPeople: listPeople(deps),
      createWorkload: createWorkload(deps),
      listWorkloads: listWorkloads(deps),
      deleteWorkload: deleteWorkload(deps),
      registerWorkloadToken: registerWorkloadToken(deps),
    });
}
