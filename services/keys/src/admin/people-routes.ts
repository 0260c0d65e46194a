// The routes of the admin API for people, and for the roles and workloads of an account. Read by routes.ts,
// whose table they are a part of. They do what `annals people` does, by the same functions.

import { blockPerson, endSessionsOfPerson, unblockPerson } from "../people/block-person.ts";
import { listKnownPeople } from "../people/known-people.ts";
import { findAccount } from "../accounts/account.ts";
import { listAccountMappings, mappingJson } from "../role-mappings/account-mappings.ts";
import { addRoleMapping } from "../role-mappings/add-role-mapping.ts";
import { removeRoleMapping } from "../role-mappings/remove-role-mapping.ts";
import { listAccountWorkloads, workloadJson } from "../workloads/account-workloads.ts";
import { removeWorkload } from "../workloads/remove-workload.ts";
import { pageOf } from "./page.ts";
import type { AdminRequest, Deps } from "./route.ts";

export async function getPeople({ database }: Deps, { query }: AdminRequest) {
  const { cursor, limit } = pageOf(query);
  const { next, rows } = await listKnownPeople(database, { limit, after: cursor ?? "" });
  return { status: 200, body: pageBody(rows, next) };
}

export async function postBlock(deps: Deps, { actor, body, id }: AdminRequest) {
  body.only();
  const ended = await blockPerson(deps, id, actor);
  return { status: 200, body: { data: { id, blocked: true, sessions_ended: ended } } };
}

export async function postUnblock(deps: Deps, { actor, body, id }: AdminRequest) {
  body.only();
  await unblockPerson(deps, id, actor);
  return { status: 200, body: { data: { id, blocked: false } } };
}

export async function deleteSessions(deps: Deps, { actor, id }: AdminRequest) {
  const ended = await endSessionsOfPerson(deps, id, actor);
  return { status: 200, body: { data: { id, sessions_ended: ended } } };
}

export async function getMappings({ database }: Deps, { id, query }: AdminRequest) {
  const { cursor, limit } = pageOf(query);
  await findAccount(database, id);
  const page = { limit, after: cursor ?? "" };
  const { next, rows } = await listAccountMappings(database, id, page);
  return { status: 200, body: pageBody(rows.map(mappingJson), next) };
}

export async function postMapping(deps: Deps, { actor, body, id: accountId }: AdminRequest) {
  body.only("provider", "group", "subject", "role");
  const text = (member: string) => body.text(member) ?? "";
  const [group, subject] = [text("group"), text("subject")];
  const given = { accountId, group, subject, provider: text("provider"), role: text("role") };
  const { createdAt, id, provider, role } = await addRoleMapping(deps, given, actor);
  const shown = { id, provider, role, created_at: createdAt };
  return {
    status: 201,
    body: { data: { ...shown, group: group || null, subject: subject || null } },
  };
}

export async function deleteMapping(deps: Deps, { actor, id, partId }: AdminRequest) {
  await removeRoleMapping(deps, { accountId: id, id: partId }, actor);
  return { status: 204 };
}

export async function getWorkloads({ database }: Deps, { id, query }: AdminRequest) {
  const { cursor, limit } = pageOf(query);
  await findAccount(database, id);
  const page = { limit, after: cursor ?? "" };
  const { next, rows } = await listAccountWorkloads(database, id, page);
  return { status: 200, body: pageBody(rows.map(workloadJson), next) };
}

export async function deleteWorkload(deps: Deps, { actor, id, partId }: AdminRequest) {
  await removeWorkload(deps, { accountId: id, id: partId }, actor);
  return { status: 204 };
}

function pageBody(data: readonly unknown[], next: string) {
  return { data, has_more: next !== "", next_cursor: next === "" ? null : next };
}
