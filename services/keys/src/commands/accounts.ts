// The verbs `accounts create` and `accounts list`: how an operator makes accounts.

import { UsageError, type VerbContext } from "@annals/chassis";
import { parseArgs } from "node:util";
import type { SETTINGS } from "../config.ts";
import { listAccounts } from "../store/list-accounts.ts";
import { createAccount } from "./account.ts";
import { withDatabase } from "./open.ts";

const USAGE = "usage: keys accounts create --name NAME [--key-name NAME] | keys accounts list";

/** Longest name of an account or a key (docs/open-details.md). */
const MAX_NAME_LENGTH = 255;

export async function accounts({
  config,
  log,
  words,
}: VerbContext<typeof SETTINGS>): Promise<void> {
  const { name, keyName, verb } = parse(words);
  await withDatabase(config, log, async ({ database, ...maker }) => {
    if (verb === "list") {
      for (const row of await database.run(listAccounts, [])) {
        process.stdout.write(
          `${row.account_id}\t${row.created_at}\t${row.live_keys} keys\t${row.name}\n`,
        );
      }
      return;
    }
    const made = await database.transaction((transaction) =>
      createAccount(transaction, maker, { name, keyName }),
    );
    process.stdout.write(`account ${made.accountId}\nkey ${made.key}\n`);
  });
}

function parse(words: readonly string[]) {
  const [verb, ...rest] = words;
  if (verb === "list" && rest.length === 0) return { verb, name: "", keyName: "" };
  if (verb !== "create") throw new UsageError(USAGE);
  const { name, "key-name": keyName } = options(rest);
  for (const given of [name, keyName]) {
    if (given.length < 1 || given.length > MAX_NAME_LENGTH) {
      throw new UsageError(`a name has 1 to ${MAX_NAME_LENGTH} characters\n${USAGE}`);
    }
  }
  return { verb, name, keyName };
}

function options(rest: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...rest],
      options: {
        name: { type: "string", default: "" },
        "key-name": { type: "string", default: "first key" },
      },
    });
    return { name: values.name.trim(), "key-name": values["key-name"].trim() };
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : "wrong options"}\n${USAGE}`);
  }
}
