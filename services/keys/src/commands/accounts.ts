// The verbs `accounts create`, `rename`, `add-key`, `set-plan`, `list` and `top`: how an operator makes
// accounts, gives them plans, replaces a lost first key, and finds who sends the most.

import { UsageError, type VerbContext } from "@annals/chassis";
import { parseArgs } from "node:util";
import type { SETTINGS } from "../config.ts";
import { readPlans } from "../plans-file.ts";
import { listAccounts } from "../store/list-accounts.ts";
import { listTopAccounts } from "../store/list-top-accounts.ts";
import { lockAccount } from "../store/lock-account.ts";
import { renameAccount } from "../store/rename-account.ts";
import { setPlan } from "../store/set-plan.ts";
import { addKey, createAccount } from "./account.ts";
import { type Opened, withDatabase } from "./open.ts";

const USAGE = `usage: keys accounts create --name NAME [--key-name NAME] [--plan PLAN]
       keys accounts rename --account ID --name NAME
       keys accounts add-key --account ID [--key-name NAME]  a key with all scopes, shown this once
       keys accounts set-plan --account ID [--plan PLAN]     without PLAN: the default one
       keys accounts list
       keys accounts top                                     the 20 with the most requests in the last minute`;

/** Longest name of an account or a key (docs/open-details.md). */
const MAX_NAME_LENGTH = 255;

const TOP_ACCOUNTS = 20;

/** What one of the verbs does; it resolves to what is printed. */
type Work = (opened: Opened) => Promise<string>;

export async function accounts({
  config,
  log,
  words,
}: VerbContext<typeof SETTINGS>): Promise<void> {
  const { plan, work } = parse(words);
  const plans = await readPlans(config.plansFile);
  if (plan !== undefined && !plans.has(plan)) {
    throw new UsageError(`there is no plan ${plan}: there are ${plans.names.join(", ")}`);
  }
  process.stdout.write(await withDatabase(config, log, work));
}

function parse(words: readonly string[]): { readonly plan?: string; readonly work: Work } {
  const [verb, ...rest] = words;
  switch (verb) {
    case "create": {
      const { name, plan, "key-name": keyName = "first key" } = options(rest, CREATE);
      const named = { name: checkName(name), keyName: checkName(keyName) };
      return withPlan(plan, create({ ...named, ...(plan !== undefined && { plan }) }));
    }
    case "set-plan": {
      const { account, plan } = options(rest, SET_PLAN);
      return withPlan(plan, changePlan(required(account), plan ?? null));
    }
    case "rename": {
      const { account, name } = options(rest, RENAME);
      return { work: rename(required(account), checkName(name)) };
    }
    case "add-key": {
      const { account, "key-name": keyName = "operator's key" } = options(rest, ADD_KEY);
      return { work: addFirstKey(required(account), checkName(keyName)) };
    }
    case "list":
      options(rest, {});
      return { work: list };
    case "top":
      options(rest, {});
      return { work: top };
    default:
      throw new UsageError(USAGE);
  }
}

function withPlan(plan: string | undefined, work: Work) {
  return { work, ...(plan !== undefined && { plan }) };
}

function create(account: Parameters<typeof createAccount>[2]): Work {
  return async ({ database, ...maker }) => {
    const made = await database.transaction((transaction) =>
      createAccount(transaction, maker, account),
    );
    return `account ${made.accountId}\nkey ${made.key}\n`;
  };
}

function changePlan(accountId: string, plan: string | null): Work {
  return async ({ database }) => {
    const [row] = await database.run(setPlan, [accountId, plan]);
    if (!row) throw noAccount(accountId);
    return `account ${accountId}\nplan ${plan ?? "(default)"}\n`;
  };
}

function rename(accountId: string, name: string): Work {
  return async ({ database }) => {
    const [row] = await database.run(renameAccount, [accountId, name]);
    if (!row) throw noAccount(accountId);
    return `account ${accountId}\nname ${name}\n`;
  };
}

/** The plan's limit of keys does not apply: the operator may always get an account working again. */
function addFirstKey(accountId: string, keyName: string): Work {
  return async ({ database, ...maker }) => {
    const added = await database.transaction(async (transaction) => {
      const [row] = await transaction.run(lockAccount, [accountId]);
      if (!row) throw noAccount(accountId);
      return addKey(transaction, maker, { accountId, keyName });
    });
    return `account ${accountId}\nkey ${added.key}\n`;
  };
}

function noAccount(accountId: string): UsageError {
  return new UsageError(`there is no account ${JSON.stringify(accountId)}`);
}

const top: Work = async ({ database }) => {
  const rows = await database.run(listTopAccounts, [TOP_ACCOUNTS]);
  return rows
    .map(({ account_id, name, requests }) => `${account_id}\t${requests} requests\t${name}\n`)
    .join("");
};

const list: Work = async ({ database }) => {
  const rows = await database.run(listAccounts, []);
  const lines = rows.map(({ account_id, created_at, live_keys, name, plan }) =>
    [account_id, created_at, `${live_keys} keys`, plan ?? "(default)", name].join("\t"),
  );
  return lines.map((line) => `${line}\n`).join("");
};

const TEXT = { type: "string" } as const;
const CREATE = { name: TEXT, "key-name": TEXT, plan: TEXT };
const RENAME = { account: TEXT, name: TEXT };
const ADD_KEY = { account: TEXT, "key-name": TEXT };
const SET_PLAN = { account: TEXT, plan: TEXT };

/** The values of `--name VALUE` words, trimmed; those that are not given are absent. */
function options<Name extends string>(
  words: readonly string[],
  known: Readonly<Record<Name, typeof TEXT>>,
): Partial<Record<Name, string>> {
  try {
    const { values } = parseArgs({ args: [...words], options: known, strict: true });
    const given = Object.entries(values).map(([name, value]) => [name, String(value).trim()]);
    return Object.fromEntries(given) as Partial<Record<Name, string>>;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : "wrong options"}\n${USAGE}`);
  }
}

function checkName(name: string | undefined): string {
  const length = Array.from(name ?? "").length;
  if (name === undefined || length < 1 || length > MAX_NAME_LENGTH) {
    throw new UsageError(`a name has 1 to ${MAX_NAME_LENGTH} characters\n${USAGE}`);
  }
  // The list of accounts is printed on a terminal, one a line.
  if (/[\p{Cc}\u2028\u2029]/u.test(name)) {
    throw new UsageError(`a name holds no control characters and no line breaks\n${USAGE}`);
  }
  return name;
}

function required(account: string | undefined): string {
  if (account === undefined) throw new UsageError(`--account is required\n${USAGE}`);
  return account;
}
