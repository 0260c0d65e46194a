// The commands `annals keys`: an operator lists the API keys of an account, and revokes one that leaked.

import { inPieces } from "@annals/chassis";
import { requiredOption } from "@annals/cli";
import { keyJson } from "../../accounts/json.ts";
import { listApiKeys } from "../../store/list-api-keys.ts";
import { findAccount, revokeKey } from "../../accounts/account.ts";
import type { ApiKeyRow } from "../../store/api-key-row.ts";
import {
  ACCOUNT,
  asId,
  type OperatorCommand,
  operatorCommand,
} from "../../commands/operator-command.ts";

/** Keys that are read at a time. */
const PAGE = 1_000;

const list = operatorCommand(
  {
    name: "keys list",
    summary: "List the keys of an account, newest first",
    details:
      "Each line has the id, the creation time, the prefix, the scopes, the last day of use, the expiry and the name.",
    options: { account: ACCOUNT },
    examples: ["annals keys list --account acct_75gtznr6r1q5aecdantb9bkrxd"],
  },
  async ({ account: accountId }, { database }) => {
    await findAccount(database, accountId);
    const rows: ApiKeyRow[] = [];
    const readPiece = async (): Promise<number> => {
      const last = rows.at(-1);
      const after = [last?.created_at ?? null, last?.id ?? null] as const;
      const piece = await database.run(listApiKeys, [accountId, ...after, PAGE]);
      rows.push(...piece);
      return piece.length;
    };
    await inPieces(PAGE, readPiece);
    const lines = rows.map((row) =>
      [
        row.id,
        row.created_at,
        row.key_prefix,
        row.scopes.join(","),
        row.last_used_on ?? "-",
        row.expires_at ?? "-",
        row.name,
      ].join("\t"),
    );
    return { text: lines.map((line) => `${line}\n`).join(""), data: rows.map(keyJson) };
  },
);

const revoke = operatorCommand(
  {
    name: "keys revoke",
    summary: "Revoke a key permanently",
    details: "It is refused from the next request on. Prints the account of the key.",
    options: { key: requiredOption("<id>", "Id of the key", asId) },
    examples: ["annals keys revoke --key key_8m3kq0t2v5x7z9b1d4f6h8jkmn"],
  },
  async ({ key: id }, { clock, database }) => {
    const accountId = await revokeKey(database, clock, id);
    return {
      text: `account ${accountId}\nrevoked ${id}\n`,
      data: { account_id: accountId, id, revoked: true },
    };
  },
);

export const KEY_COMMANDS: readonly OperatorCommand[] = [list, revoke];
