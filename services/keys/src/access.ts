// Who may call which RPC of the keys service, and with which scope for a client.

import type { KeysService } from "@annals/proto/keys";
import type { Access } from "@annals/rpc";

export const ACCESS: Access<typeof KeysService> = {
  admitRequests: { gateway: "itself" },
  createApiKey: { gateway: "keys:manage" },
  listApiKeys: { gateway: "keys:manage" },
  updateApiKey: { gateway: "keys:manage" },
  deleteApiKey: { gateway: "keys:manage" },
  createWidgetToken: { gateway: "events:read" },
  listWidgetTokens: { gateway: "events:read" },
  deleteWidgetToken: { gateway: "events:read" },
  getUsage: { gateway: "any_key" },
  getSignedHead: { ledger: "itself" },
  signEpoch: { ledger: "itself" },
  signCheckpoint: { ledger: "itself" },
  listRetentions: { ledger: "itself" },
  listProviders: { gateway: "itself" },
  beginLogin: { gateway: "itself" },
  finishLogin: { gateway: "itself" },
  getSession: { gateway: "itself" },
  createAccessToken: { gateway: "itself" },
  endSession: { gateway: "itself" },
  endProviderSessions: { gateway: "itself" },
  createRoleMapping: { gateway: "keys:manage" },
  listRoleMappings: { gateway: "keys:manage" },
  deleteRoleMapping: { gateway: "keys:manage" },
  listPeople: { gateway: "keys:manage" },
  createWorkload: { gateway: "keys:manage" },
  listWorkloads: { gateway: "keys:manage" },
  deleteWorkload: { gateway: "keys:manage" },
  registerWorkloadToken: { gateway: "itself" },
};
