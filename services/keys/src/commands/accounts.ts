// The verb `accounts`: how an operator makes and lists accounts, renames them, gives them plans, gives one
// that has lost its keys a new one, and finds who sends the most.

import { inPieces, UsageError } from "@annals/chassis";
import { accountJson, newKeyJson } from "../operations/json.ts";
import type { AccountRow } from "../store/account-row.ts";
import { listAccounts } from "../store/list-accounts.ts";
import { listTopAccounts } from "../store/list-top-accounts.ts";
import { addKey, createAccount, updateAccount } from "../operations/account.ts";
import type { Opened } from "./open.ts";
import { type Arguments, type Command, verb } from "./arguments.ts";

const USAGE = `Usage: annals accounts create --name <name> [--key-name <name>] [--plan <plan>] [--json]
       annals accounts list [--json]
       annals accounts top [--json]
       annals accounts rename --account <id> --name <name> [--json]
       annals accounts add-key --account <id> [--key-name <name>] [--scopes <scope>,<scope>] [--json]
       annals accounts set-plan --account <id> [--plan <plan>] [--json]`;

export const ACCOUNTS_HELP = `${USAGE}

create    Creates an account and its first key, with all scopes. The key is shown only once.
list      Lists all accounts, oldest first: id, creation time, number of keys, plan, name.
top       Lists the 20 accounts with the most requests in the last minute: id, requests, name.
rename    Renames an account.
add-key   Creates a key for an account, for example one that has lost its keys. Default: all scopes. The key is shown only
          once. The plan's key limit does not apply. A key of acct_system, the system account, is read-only.
set-plan  Sets the plan of an account, from ANNALS_PLANS_FILE. Default: the default plan. Same as \`plans set\`.

Requires the ANNALS_DATABASE_URL of keys.

Examples:
  annals accounts create --name 'Example Ltd'
  annals accounts create --name 'Example Ltd' --json
  annals accounts list
  annals accounts top
  annals accounts rename --account acct_75gtznr6r1q5aecdantb9bkrxd --name 'Example GmbH'
  annals accounts add-key --account acct_75gtznr6r1q5aecdantb9bkrxd --key-name auditor --scopes events:read,verify
`;

/** Accounts that are read at a time. */
const PAGE = 1_000;
const TOP_ACCOUNTS = 20;

export const accounts = verb(USAGE, (subcommand, args) => {
  switch (subcommand) {
    case "create":
      return create(args);
    case "list":
      args.options();
      return { work: list };
    case "top":
      args.options();
      return { work: top };
    case "rename":
      return rename(args);
    case "add-key":
      return addOneKey(args);
    case "set-plan":
      return changePlan(args);
    default:
      return undefined;
  }
});

function create(args: Arguments): Command {
  const options = args.options("name", "key-name", "plan");
  const { plan } = options;
  const named = {
    name: args.name("name", options.name),
    keyName: args.name("key-name", options["key-name"] ?? "first key"),
  };
  return {
    plan,
    work: async ({ database, ...maker }) => {
      const made = await database.transaction((transaction) =>
        createAccount(transaction, maker, { ...named, plan }),
      );
      if (!made) throw new UsageError("account id collision; try again");
      const { account, key } = made;
      return {
        text: `account ${account.account_id}\nkey ${key.secret}\n`,
        data: { ...accountJson(account), first_key: newKeyJson(key) },
      };
    },
  };
}

function rename(args: Arguments): Command {
  const options = args.options("account", "name");
  const accountId = args.required("account", options.account);
  const name = args.name("name", options.name);
  return {
    work: async ({ clock, database }) => {
      const account = await database.transaction((transaction) =>
        updateAccount(transaction, clock, accountId, { name }),
      );
      return { text: `account ${accountId}\nname ${name}\n`, data: accountJson(account) };
    },
  };
}

function addOneKey(args: Arguments): Command {
  const options = args.options("account", "key-name", "scopes");
  const accountId = args.required("account", options.account);
  const keyName = args.name("key-name", options["key-name"] ?? "operator's key");
  const scopes = args.scopes(options.scopes);
  return {
    work: async ({ database, ...maker }) => {
      const key = await database.transaction((transaction) =>
        addKey(transaction, maker, { accountId, keyName, ...(scopes && { scopes }) }),
      );
      return { text: `account ${accountId}\nkey ${key.secret}\n`, data: newKeyJson(key) };
    },
  };
}

/** Also called by `plans set`. */
export function changePlan(args: Arguments): Command {
  const { account, plan } = args.options("account", "plan");
  const accountId = args.required("account", account);
  return {
    plan,
    work: async ({ clock, database }) => {
      const changed = await database.transaction((transaction) =>
        updateAccount(transaction, clock, accountId, { plan: plan ?? null }),
      );
      const text = `account ${accountId}\nplan ${plan ?? "(default)"}\n`;
      return { text, data: accountJson(changed) };
    },
  };
}

async function list({ database }: Opened) {
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
}

async function top({ database }: Opened) {
  const rows = await database.run(listTopAccounts, [TOP_ACCOUNTS]);
  const lines = rows.map(({ account_id, name, requests }) =>
    [account_id, `${requests} requests`, name].join("\t"),
  );
  const data = rows.map(({ requests, ...row }) => ({ ...row, requests: Number(requests) }));
  return { text: lines.map((line) => `${line}\n`).join(""), data };
}

/** Of times in one format. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
