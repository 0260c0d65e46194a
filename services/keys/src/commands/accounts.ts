// The verb `accounts`: how an operator makes and lists accounts, renames them, gives them plans, gives one
// that has lost its keys a new one, and finds who sends the most.

import { inPieces, UsageError } from "@annals/chassis";
import { accountJson, newKeyJson } from "../operations/json.ts";
import type { AccountRow } from "../store/account-row.ts";
import { listAccounts } from "../store/list-accounts.ts";
import { listTopAccounts } from "../store/list-top-accounts.ts";
import { addKey, createAccount, updateAccount } from "../operations/account.ts";
import type { Opened } from "./open.ts";
import { type Asked, type Given, verb } from "./words.ts";

const USAGE = `usage: annals accounts create --name NAME [--key-name NAME] [--plan PLAN] [--json]
       annals accounts list [--json]
       annals accounts top [--json]
       annals accounts rename --account ID --name NAME [--json]
       annals accounts add-key --account ID [--key-name NAME] [--scopes SCOPE,SCOPE] [--json]
       annals accounts set-plan --account ID [--plan PLAN] [--json]`;

export const ACCOUNTS_HELP = `${USAGE}

create    Makes an account and its first key, with all scopes. The key is printed this once.
list      Prints every account, the oldest first: id, creation, live keys, plan, name.
top       Prints the 20 accounts with the most requests in the last minute: id, requests, name.
rename    Gives an account another name.
add-key   Makes a key for an account, for example one that has lost its keys. All scopes by default. The key is printed
          this once. The plan's limit of keys does not apply. A key of acct_system, the system account, only reads.
set-plan  Gives an account a plan of ANNALS_PLANS_FILE. Without PLAN: the default one. The same as \`plans set\`.

Needs ANNALS_DATABASE_URL of keys.

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

export const accounts = verb(USAGE, (word, given) => {
  switch (word) {
    case "create":
      return create(given);
    case "list":
      given.options();
      return { work: list };
    case "top":
      given.options();
      return { work: top };
    case "rename":
      return rename(given);
    case "add-key":
      return addOneKey(given);
    case "set-plan":
      return changePlan(given);
    default:
      return undefined;
  }
});

function create(given: Given): Asked {
  const options = given.options("name", "key-name", "plan");
  const { plan } = options;
  const named = {
    name: given.name("name", options.name),
    keyName: given.name("key-name", options["key-name"] ?? "first key"),
  };
  return {
    plan,
    work: async ({ database, ...maker }) => {
      const made = await database.transaction((transaction) =>
        createAccount(transaction, maker, { ...named, plan }),
      );
      if (!made) throw new UsageError("the new id is taken: try again");
      const { account, key } = made;
      return {
        text: `account ${account.account_id}\nkey ${key.secret}\n`,
        data: { ...accountJson(account), first_key: newKeyJson(key) },
      };
    },
  };
}

function rename(given: Given): Asked {
  const options = given.options("account", "name");
  const accountId = given.required("account", options.account);
  const name = given.name("name", options.name);
  return {
    work: async ({ clock, database }) => {
      const account = await database.transaction((transaction) =>
        updateAccount(transaction, clock, accountId, { name }),
      );
      return { text: `account ${accountId}\nname ${name}\n`, data: accountJson(account) };
    },
  };
}

function addOneKey(given: Given): Asked {
  const options = given.options("account", "key-name", "scopes");
  const accountId = given.required("account", options.account);
  const keyName = given.name("key-name", options["key-name"] ?? "operator's key");
  const scopes = given.scopes(options.scopes);
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
export function changePlan(given: Given): Asked {
  const { account, plan } = given.options("account", "plan");
  const accountId = given.required("account", account);
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
