// The commands `annals accounts`: an operator creates and lists accounts, renames them, gives them plans,
// gives one that has lost its keys a new one, and finds who sends the most.

import { inPieces } from "@annals/chassis";
import { option, requiredOption, UsageError } from "@annals/cli";
import { isScope, SCOPES } from "@annals/contract";
import { accountJson, newKeyJson } from "../json.ts";
import type { AccountRow } from "../../store/account-row.ts";
import { listAccounts } from "../../store/list-accounts.ts";
import { listTopAccounts } from "../store/list-top-accounts.ts";
import { addKey, createAccount, updateAccount } from "../account.ts";
import {
  ACCOUNT,
  asId,
  asName,
  asTexts,
  type OperatorCommand,
  operatorCommand,
  PLAN,
} from "../../commands/operator-command.ts";

/** Accounts that are read at a time. */
const PAGE = 1_000;
const TOP_ACCOUNTS = 20;

const create = operatorCommand(
  {
    name: "accounts create",
    summary: "Create an account and its first key",
    details: "The key has all scopes. It is shown only once.",
    options: {
      name: requiredOption("<name>", "Name of the account", asName),
      "key-name": option("<name>", 'Name of the key. Default: "first key"', asName),
      plan: PLAN,
    },
    examples: ["annals accounts create --name 'Example Ltd'"],
  },
  async ({ name, "key-name": keyName = "first key", plan }, { database, ...maker }) => {
    const made = await database.transaction((transaction) =>
      createAccount(transaction, maker, { name, keyName, plan }),
    );
    if (!made) throw new UsageError("account id collision; try again");
    const { account, key } = made;
    return {
      text: `account ${account.account_id}\nkey ${key.secret}\n`,
      data: { ...accountJson(account), first_key: newKeyJson(key) },
    };
  },
);

const list = operatorCommand(
  {
    name: "accounts list",
    summary: "List all accounts, oldest first",
    details: "Each line has the id, the creation time, the number of keys, the plan and the name.",
    examples: ["annals accounts list"],
  },
  async (_, { database }) => {
    const found: AccountRow[] = [];
    const readPiece = async (): Promise<number> => {
      const rows = await database.run(listAccounts, [found.at(-1)?.account_id ?? "", PAGE]);
      found.push(...rows);
      return rows.length;
    };
    await inPieces(PAGE, readPiece);
    const rows = found.toSorted((a, b) => compare(a.created_at, b.created_at));
    const lines = rows.map(({ account_id, created_at, live_keys, name, plan }) =>
      [account_id, created_at, `${live_keys} keys`, plan ?? "(default)", name].join("\t"),
    );
    return { text: lines.map((line) => `${line}\n`).join(""), data: rows.map(accountJson) };
  },
);

const top = operatorCommand(
  {
    name: "accounts top",
    summary: `List the ${TOP_ACCOUNTS} accounts with the most requests in the last minute`,
    details: "Each line has the id, the number of requests and the name.",
    examples: ["annals accounts top"],
  },
  async (_, { database }) => {
    const rows = await database.run(listTopAccounts, [TOP_ACCOUNTS]);
    const lines = rows.map(({ account_id, name, requests }) =>
      [account_id, `${requests} requests`, name].join("\t"),
    );
    const data = rows.map(({ requests, ...row }) => ({ ...row, requests: Number(requests) }));
    return { text: lines.map((line) => `${line}\n`).join(""), data };
  },
);

const rename = operatorCommand(
  {
    name: "accounts rename",
    summary: "Rename an account",
    options: { account: ACCOUNT, name: requiredOption("<name>", "The new name", asName) },
    examples: [
      "annals accounts rename --account acct_75gtznr6r1q5aecdantb9bkrxd --name 'Example GmbH'",
    ],
  },
  async ({ account: accountId, name }, { clock, database }) => {
    const account = await updateAccount(database, clock, accountId, { name });
    return { text: `account ${accountId}\nname ${name}\n`, data: accountJson(account) };
  },
);

const addOneKey = operatorCommand(
  {
    name: "accounts add-key",
    summary: "Create a key for an account, for example for one that has lost its keys",
    details: "The key is shown only once. The plan's key limit does not apply.",
    options: {
      account: ACCOUNT,
      "key-name": option("<name>", `Name of the key. Default: "operator's key"`, asName),
      scopes: option(
        "<scope>,<scope>",
        "Scopes of the key. Default: all. A key of acct_system, the system account, is read-only",
        asScopes,
      ),
      "expires-at": option(
        "<time>",
        "When the key expires, such as 2027-01-31T09:30:00Z. Default: never",
        asId,
      ),
      "allowed-ip": option(
        "<ip>,<ip>",
        "Addresses and networks that the key may be used from. Default: any",
        asTexts,
      ),
    },
    examples: [
      "annals accounts add-key --account acct_75gtznr6r1q5aecdantb9bkrxd --key-name auditor --scopes events:read,verify",
    ],
  },
  async (values, { database, ...maker }) => {
    const { account: accountId, "key-name": keyName = "operator's key", scopes } = values;
    const { "expires-at": expiresAt, "allowed-ip": allowedIps } = values;
    const restrictions = { expiresAt, allowedIps };
    const key = await database.transaction((transaction) =>
      addKey(transaction, maker, {
        accountId,
        keyName,
        ...restrictions,
        ...(scopes && { scopes }),
      }),
    );
    return { text: `account ${accountId}\nkey ${key.secret}\n`, data: newKeyJson(key) };
  },
);

/** `accounts set-plan` and `plans set` are one command. */
export function setPlanCommand(name: string): OperatorCommand {
  return operatorCommand(
    {
      name,
      summary: "Set the plan of an account",
      details: "The plan takes effect with the account's next request.",
      options: { account: ACCOUNT, plan: PLAN },
      examples: [`annals ${name} --account acct_75gtznr6r1q5aecdantb9bkrxd --plan unlimited`],
    },
    async ({ account: accountId, plan }, { clock, database }) => {
      const changed = await updateAccount(database, clock, accountId, { plan: plan ?? null });
      const text = `account ${accountId}\nplan ${plan ?? "(default)"}\n`;
      return { text, data: accountJson(changed) };
    },
  );
}

/** Parses `events:read,verify`. */
function asScopes(text: string): string[] {
  const scopes = text.trim().split(",");
  if (scopes.every(isScope)) return scopes;
  throw new Error(`must be a comma-separated list of ${SCOPES.join(",")}`);
}

/** Compares times in one format. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export const ACCOUNT_COMMANDS: readonly OperatorCommand[] = [
  create,
  list,
  top,
  rename,
  addOneKey,
  setPlanCommand("accounts set-plan"),
];
