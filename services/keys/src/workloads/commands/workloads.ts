// The commands `annals workloads`: an operator lists which programs an account trusts, and ends that for one.
// Managers of the account add them.

import { requiredOption } from "@annals/cli";
import { findAccount } from "../../accounts/account.ts";
import { OPERATOR } from "../../accounts/rules/audit-entries.ts";
import { allPages } from "../../commands/all-pages.ts";
import {
  ACCOUNT,
  asId,
  type OperatorCommand,
  operatorCommand,
} from "../../commands/operator-command.ts";
import { listAccountWorkloads, workloadJson } from "../account-workloads.ts";
import { removeWorkload } from "../remove-workload.ts";

const list = operatorCommand(
  {
    name: "workloads list",
    summary: "List the workloads that an account trusts, newest first",
    details:
      "Each line has the id, the creation time, the issuer, the subject, the scopes and the name.",
    options: { account: ACCOUNT },
    examples: ["annals workloads list --account acct_75gtznr6r1q5aecdantb9bkrxd"],
  },
  async ({ account: accountId }, { database }) => {
    await findAccount(database, accountId);
    const rows = await allPages((page) => listAccountWorkloads(database, accountId, page));
    const lines = rows.map(({ created_at: createdAt, id, issuer, name, scopes, subject }) =>
      [id, createdAt, issuer, subject, scopes.join(","), name].join("\t"),
    );
    return { text: lines.map((line) => `${line}\n`).join(""), data: rows.map(workloadJson) };
  },
);

const remove = operatorCommand(
  {
    name: "workloads delete",
    summary: "Trust a workload no longer",
    details: "Its tokens are refused from the next request on.",
    options: { account: ACCOUNT, workload: requiredOption("<id>", "Id of the workload", asId) },
    examples: [
      "annals workloads delete --account acct_75gtznr6r1q5aecdantb9bkrxd --workload wkl_4c7f0j3m6p9s2v5y8b1e4h7k0n",
    ],
  },
  async ({ account: accountId, workload: id }, opened) => {
    await removeWorkload(opened, { accountId, id }, OPERATOR);
    return { text: `deleted ${id}\n`, data: { id, deleted: true } };
  },
);

export const WORKLOAD_COMMANDS: readonly OperatorCommand[] = [list, remove];
