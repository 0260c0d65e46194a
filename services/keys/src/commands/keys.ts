// The verb `keys`: how an operator sees and revokes the API keys of an account, for example one that leaked.

import { inPieces } from "@annals/chassis";
import { notFound } from "@annals/errors";
import { keyJson } from "../operations/json.ts";
import { getAccount } from "../store/get-account.ts";
import { listApiKeys } from "../store/list-api-keys.ts";
import { revokeKey } from "../operations/account.ts";
import type { ApiKeyRow } from "../store/api-key-row.ts";
import { type Asked, type Given, verb } from "./words.ts";

const USAGE = `usage: annals keys list --account ID [--json]
       annals keys revoke --key ID [--json]`;

export const KEYS_HELP = `${USAGE}

list    Prints the live keys of an account, the newest first: id, creation, leading part, scopes, name.
revoke  Revokes a key permanently. It takes effect with the next request. The id is enough: the account is printed.

Needs ANNALS_DATABASE_URL of keys.

Examples:
  annals keys list --account acct_75gtznr6r1q5aecdantb9bkrxd
  annals keys revoke --key key_8m3kq0t2v5x7z9b1d4f6h8jkmn
`;

/** Keys that are read at a time. */
const PAGE = 1_000;

export const keys = verb(USAGE, (word, given) => {
  if (word === "list") return list(given);
  return word === "revoke" ? revoke(given) : undefined;
});

function list(given: Given): Asked {
  const accountId = given.required("account", given.options("account").account);
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

function revoke(given: Given): Asked {
  const id = given.required("key", given.options("key").key);
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
