// The commands `annals people`: an operator gives roles, which is how the first manager of an account is
// made, and takes them back, lists who has logged in, and keeps someone out.

import { option, requiredOption } from "@annals/cli";
import {
  ACCOUNT,
  asId,
  type OperatorCommand,
  operatorCommand,
} from "../../commands/operator-command.ts";
import { readIdentities } from "../../identity/identity-file.ts";
import { OPERATOR } from "../../accounts/rules/audit-entries.ts";
import { findAccount } from "../../accounts/account.ts";
import { allPages } from "../../commands/all-pages.ts";
import { listAccountMappings, mappingJson } from "../../role-mappings/account-mappings.ts";
import { removeRoleMapping } from "../../role-mappings/remove-role-mapping.ts";
import { addRoleMapping } from "../../role-mappings/add-role-mapping.ts";
import { blockPerson, endSessionsOfPerson, unblockPerson } from "../block-person.ts";
import { listKnownPeople } from "../known-people.ts";
import type { KnownPersonRow } from "../store/list-all-people.ts";

const PERSON = requiredOption("<id>", "Id of the person", asId);

const grant = operatorCommand(
  {
    name: "people grant",
    summary: "Give a role in an account to a group of an identity provider, or to one person",
    details: `Roles are viewer, auditor and manager; none refuses the account, whatever other mappings give.
Requires the ANNALS_IDENTITY_FILE of keys, which has the provider.`,
    options: {
      account: ACCOUNT,
      provider: requiredOption("<name>", "Name of the identity provider in its file", asId),
      group: option("<name>", "Group of the provider", asId),
      subject: option("<subject>", "Subject of one person, instead of a group", asId),
      role: requiredOption("<role>", "none, viewer, auditor or manager", asId),
    },
    examples: [
      "annals people grant --account acct_75gtznr6r1q5aecdantb9bkrxd --provider okta --group audit-admins --role manager",
    ],
  },
  async ({ account: accountId, group = "", provider, role, subject = "" }, opened, _, config) => {
    const identities = { current: await readIdentities(config.identityFile) };
    const given = { accountId, group, provider, role, subject };
    const deps = { ...opened, identities };
    const { createdAt, id } = await addRoleMapping(deps, given, OPERATOR);
    return {
      text: `role mapping ${id}\n`,
      data: {
        id,
        account_id: accountId,
        provider,
        group: group || null,
        subject: subject || null,
        role,
        created_at: createdAt,
      },
    };
  },
);

const list = operatorCommand(
  {
    name: "people list",
    summary: "List who has logged in, newest first",
    details:
      "Each line has the id, the last login, the provider, the subject, the e-mail, the name, and whether the person is blocked.",
    examples: ["annals people list"],
  },
  async (_, { database }) => {
    const rows = await allPages((page) => listKnownPeople(database, page));
    return { text: rows.map(line).join(""), data: rows };
  },
);

const roles = operatorCommand(
  {
    name: "people roles",
    summary: "List the roles that an account gives, newest first",
    details:
      "Each line has the id of the mapping, the role, the provider, and the group or subject.",
    options: { account: ACCOUNT },
    examples: ["annals people roles --account acct_75gtznr6r1q5aecdantb9bkrxd"],
  },
  async ({ account: accountId }, { database }) => {
    await findAccount(database, accountId);
    const rows = await allPages((page) => listAccountMappings(database, accountId, page));
    const lines = rows.map(({ group_name: group, id, provider, role, subject }) =>
      [id, role, provider, group === null ? `subject ${subject}` : `group ${group}`].join("\t"),
    );
    return { text: lines.map((each) => `${each}\n`).join(""), data: rows.map(mappingJson) };
  },
);

const revoke = operatorCommand(
  {
    name: "people revoke",
    summary: "Take back a role that an account gives",
    details: "It gives nothing from the next request on. `annals people roles` has the ids.",
    options: { account: ACCOUNT, mapping: requiredOption("<id>", "Id of the role mapping", asId) },
    examples: [
      "annals people revoke --account acct_75gtznr6r1q5aecdantb9bkrxd --mapping rmap_5d8g1k4n7q0t3w6z9c2f5j8m1p",
    ],
  },
  async ({ account: accountId, mapping: id }, opened) => {
    await removeRoleMapping(opened, { accountId, id }, OPERATOR);
    return { text: `deleted ${id}\n`, data: { id, deleted: true } };
  },
);

const endSessions = operatorCommand(
  {
    name: "people end-sessions",
    summary: "End the sessions of a person, who may log in again",
    details: "What the person has made in these sessions is refused from the next request on.",
    options: { person: PERSON },
    examples: ["annals people end-sessions --person usr_3n6q9s2v5x8z1b4d7f0h3k6m9p"],
  },
  async ({ person: id }, opened) => {
    const ended = await endSessionsOfPerson(opened, id);
    return { text: `ended ${ended} sessions\n`, data: { id, sessions_ended: ended } };
  },
);

const block = operatorCommand(
  {
    name: "people block",
    summary: "End the sessions of a person, and refuse further logins",
    details: "What the person has made in these sessions is refused from the next request on.",
    options: { person: PERSON },
    examples: ["annals people block --person usr_3n6q9s2v5x8z1b4d7f0h3k6m9p"],
  },
  async ({ person: id }, opened) => {
    const ended = await blockPerson(opened, id);
    const text = `blocked ${id}\nended ${ended} sessions\n`;
    return { text, data: { id, blocked: true, sessions_ended: ended } };
  },
);

const unblock = operatorCommand(
  {
    name: "people unblock",
    summary: "Let a blocked person log in again",
    options: { person: PERSON },
    examples: ["annals people unblock --person usr_3n6q9s2v5x8z1b4d7f0h3k6m9p"],
  },
  async ({ person: id }, opened) => {
    await unblockPerson(opened, id);
    return { text: `unblocked ${id}\n`, data: { id, blocked: false } };
  },
);

export const PEOPLE_COMMANDS: readonly OperatorCommand[] = [
  grant,
  roles,
  revoke,
  list,
  endSessions,
  block,
  unblock,
];

function line(row: KnownPersonRow): string {
  const { email, id, last_login_at: lastLoginAt, name, provider, subject } = row;
  const state = row.blocked_at === null ? "-" : "blocked";
  const shown = [id, lastLoginAt, provider, subject, email ?? "-", name ?? "-", state];
  return `${shown.join("\t")}\n`;
}
