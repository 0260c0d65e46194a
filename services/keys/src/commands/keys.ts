// The verb `keys`: how an operator sees and revokes the API keys of an account, for example one that leaked.

import { inPieces } from "@annals/chassis";
import { notFound } from "@annals/errors";
import { keyJson } from "../operations/json.ts";
import { getAccount } from "../store/get-account.ts";
import { listApiKeys } from "../store/list-api-keys.ts";
import { revokeKey } from "../operations/account.ts";
import type { ApiKeyRow } from "../store/api-key-row.ts";
import { type Arguments, type Command, verb } from "./arguments.ts";

const USAGE = `Usage: annals keys list --account <id> [--json]
       annals keys revoke --key <id> [--json]`;

export const KEYS_HELP = `${USAGE}

list    Lists the keys of an account, newest first: id, creation time, prefix, scopes, name.
revoke  Revokes a key permanently, effective with the next request. Prints the account of the key.

Requires the ANNALS_DATABASE_URL of keys.

Examples:
  annals keys list --account acct_75gtznr6r1q5aecdantb9bkrxd
  annals keys revoke --key key_8m3kq0t2v5x7z9b1d4f6h8jkmn
`;

/** Keys that are read at a time. */
const PAGE = 1_000;

export const keys = verb(USAGE, (subcommand, args) => {
  if (subcommand === "list") return list(args);
  return subcommand === "revoke" ? revoke(args) : undefined;
});

function list(args: Arguments): Command {
  const accountId = args.required("account", args.options("account").account);
  return {
    work: async ({ database }) => {
      const [account] = await database.run(getAccount, [accountId]);
      if (!account) throw notFound("account", accountId);
      const rows: ApiKeyRow[] = [];
      const readPiece = async (): Promise<number> => {
        const last = rows.at(-1);
        const after = [last?.created_at ?? null, last?.id ?? null] as const;
        const piece = await database.run(listApiKeys, [accountId, ...after, PAGE]);
        rows.push(...piece);
        return piece.length;
      };
      await inPieces(PAGE, readPiece);
      const lines = rows.map(({ id, created_at, key_prefix, scopes, name }) =>
        [id, created_at, key_prefix, scopes.join(","), name].join("\t"),
      );
      return { text: lines.map((line) => `${line}\n`).join(""), data: rows.map(keyJson) };
    },
  };
}

function revoke(args: Arguments): Command {
  const id = args.required("key", args.options("key").key);
  return {
    work: async ({ clock, database }) => {
      const accountId = await database.transaction((transaction) =>
        revokeKey(transaction, clock, id),
      );
      return {
        text: `account ${accountId}\nrevoked ${id}\n`,
        data: { account_id: accountId, id, revoked: true },
      };
    },
  };
}
