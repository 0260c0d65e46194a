// The table of the admin API: method, path, name and handler of each route. A handler checks the request,
// makes the one change of accounts/account.ts, which the commands make too, and renders the response.
// Called by api.ts, once it knows who asks.

import { newId } from "@annals/contract";
import { keysetPage } from "@annals/rpc";
import { invalid } from "@annals/errors";
import { hash } from "node:crypto";
import {
  addKey,
  createAccount,
  findAccount,
  revokeKey,
  updateAccount,
} from "../accounts/account.ts";
import { compareRequest } from "../store/compare-request.ts";
import { listApiKeys } from "../store/list-api-keys.ts";
import { listPlanNames } from "../store/list-plan-names.ts";
import { postAuditToken } from "./audit-token.ts";
import { accountsPage, pageOf } from "./page.ts";
import {
  deleteMapping,
  deleteSessions,
  deleteWorkload,
  getMappings,
  getPeople,
  getWorkloads,
  postBlock,
  postMapping,
  postUnblock,
} from "./people-routes.ts";
import type { AdminRequest, AdminRoute, Deps, Handler } from "./route.ts";
import { getHealth, getState, getStates } from "./state-routes.ts";
import { accountJson, keyJson, newKeyJson, plansJson } from "../accounts/json.ts";

const ACCOUNT = String.raw`/admin/v1/accounts/:id(^acct_\w{1,64}$)`;
const KEY = String.raw`/admin/v1/keys/:id(^key_\w{1,64}$)`;

const PERSON = String.raw`/admin/v1/people/:id(^usr_\w{1,64}$)`;
const MAPPING = String.raw`:partId(^rmap_\w{1,64}$)`;
const WORKLOAD = String.raw`:partId(^wkl_\w{1,64}$)`;

export const ADMIN_ROUTES: readonly AdminRoute[] = [
  route("POST", "/admin/v1/accounts", "create-account", postAccount),
  route("GET", "/admin/v1/accounts", "list-accounts", getAccounts),
  route("GET", ACCOUNT, "get-account", getOneAccount),
  route("PATCH", ACCOUNT, "update-account", patchAccount),
  route("POST", `${ACCOUNT}/keys`, "create-account-key", postKey),
  route("GET", `${ACCOUNT}/keys`, "list-account-keys", getKeys),
  route("DELETE", KEY, "revoke-key", deleteKey),
  route("GET", "/admin/v1/plans", "list-plans", getPlans),
  route("GET", `${ACCOUNT}/role-mappings`, "list-role-mappings", getMappings),
  route("POST", `${ACCOUNT}/role-mappings`, "create-role-mapping", postMapping),
  route("DELETE", `${ACCOUNT}/role-mappings/${MAPPING}`, "delete-role-mapping", deleteMapping),
  route("GET", `${ACCOUNT}/workloads`, "list-workloads", getWorkloads),
  route("DELETE", `${ACCOUNT}/workloads/${WORKLOAD}`, "delete-workload", deleteWorkload),
  route("GET", `${ACCOUNT}/state`, "get-state", getState),
  route("GET", "/admin/v1/states", "list-states", getStates),
  route("GET", "/admin/v1/health", "get-health", getHealth),
  route("POST", "/admin/v1/audit-token", "create-audit-token", postAuditToken),
  route("GET", "/admin/v1/people", "list-people", getPeople),
  route("POST", `${PERSON}/block`, "block-person", postBlock),
  route("POST", `${PERSON}/unblock`, "unblock-person", postUnblock),
  route("DELETE", `${PERSON}/sessions`, "end-sessions", deleteSessions),
];

function route(
  method: AdminRoute["method"],
  path: string,
  name: string,
  handle: Handler,
): AdminRoute {
  return { method, path, name, handle };
}

const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/**
 * The same idempotency key makes the same id, so a retry finds the account of the first request. It gets no
 * key: that was in the first response alone. Another request with that key is refused.
 */
async function postAccount(deps: Deps, { actor, body, idempotencyKey }: AdminRequest) {
  const { database, plans } = deps;
  body.only("name", "key_name", "plan");
  const members = {
    name: body.name("name"),
    keyName: body.name("key_name", "first key"),
    plan: body.plan(plans) ?? null,
  };
  const asked = {
    ...members,
    ...(idempotencyKey !== undefined && {
      accountId: accountIdOf(idempotencyKey),
      requestSha256: hash("sha256", JSON.stringify(Object.values(members)), "buffer"),
    }),
  };
  const made = await database.transaction((transaction) =>
    createAccount(transaction, deps, asked, actor),
  );
  if (made) {
    const data = { ...accountJson(made.account), first_key: newKeyJson(made.key) };
    return { status: 201, body: { data } };
  }
  const params = [asked.accountId ?? "", asked.requestSha256 ?? new Uint8Array()] as const;
  const [compared] = await database.run(compareRequest, [...params]);
  if (!compared?.is_same) {
    const message = "was used for another request: send the same body, or another key";
    throw invalid({ field: "Idempotency-Key", message });
  }
  const account = await findAccount(database, asked.accountId ?? "");
  const data = { ...accountJson(account), first_key: null };
  return { status: 200, body: { data }, headers: { "idempotent-replayed": "true" } };
}

function accountIdOf(idempotencyKey: string): string {
  if (idempotencyKey.length < 1 || idempotencyKey.length > MAX_IDEMPOTENCY_KEY_LENGTH) {
    const message = `must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`;
    throw invalid({ field: "Idempotency-Key", message });
  }
  const digest = hash("sha256", `annals admin account ${idempotencyKey}`, "buffer");
  return newId("acct", (size) => digest.subarray(0, size));
}

async function getAccounts({ database }: Deps, { query }: AdminRequest) {
  const { next, rows } = await accountsPage(database, query);
  const more = { has_more: next !== null, next_cursor: next };
  return { status: 200, body: { data: rows.map(accountJson), ...more } };
}

async function getOneAccount({ database }: Deps, { id }: AdminRequest) {
  return { status: 200, body: { data: accountJson(await findAccount(database, id)) } };
}

async function patchAccount({ clock, database, plans }: Deps, { actor, body, id }: AdminRequest) {
  body.only("name", "plan");
  const changes = {
    name: body.has("name") ? body.name("name") : undefined,
    plan: body.plan(plans),
  };
  if (changes.name === undefined && changes.plan === undefined) {
    throw invalid({ field: "", message: "The body must contain name, plan or both." });
  }
  const changed = await updateAccount(database, clock, id, changes, actor);
  return { status: 200, body: { data: accountJson(changed) } };
}

async function postKey(deps: Deps, { actor, body, id }: AdminRequest) {
  body.only("name", "scopes", "expires_at", "allowed_ips");
  const scopes = body.scopes();
  const asked = {
    accountId: id,
    keyName: body.name("name"),
    ...(scopes && { scopes }),
    expiresAt: body.text("expires_at"),
    allowedIps: body.texts("allowed_ips"),
  };
  const key = await deps.database.transaction((transaction) =>
    addKey(transaction, deps, asked, actor),
  );
  return { status: 201, body: { data: newKeyJson(key) } };
}

async function getKeys({ database }: Deps, { id, query }: AdminRequest) {
  const { limit, cursor } = pageOf(query);
  await findAccount(database, id);
  const { rows, next } = await keysetPage({ limit, after: cursor ?? "" }, "key_", (...params) =>
    database.run(listApiKeys, [id, ...params]),
  );
  const isLast = next === "";
  return {
    status: 200,
    body: { data: rows.map(keyJson), has_more: !isLast, next_cursor: isLast ? null : next },
  };
}

async function deleteKey({ clock, database }: Deps, { actor, id }: AdminRequest) {
  await revokeKey(database, clock, id, actor);
  return { status: 204 };
}

async function getPlans({ database, plans }: Deps) {
  const data = plansJson(plans, await database.run(listPlanNames, []));
  return { status: 200, body: { data } };
}
