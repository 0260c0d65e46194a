// Which page of a list a request of the admin API asks for. Called by the files of the routes.

import { invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { listAccounts } from "../store/list-accounts.ts";
import { searchAccounts } from "../store/search-accounts.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
const MAX_SEARCH = 255;

/** Throws `invalid`. */
export function pageOf(query: URLSearchParams, ...others: readonly string[]) {
  const known = ["limit", "cursor", ...others];
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalid({ field: unknown.slice(0, 80), message: "is unknown" });
  return {
    limit: limitOf(query.get("limit") ?? String(DEFAULT_LIMIT)),
    cursor: query.get("cursor"),
  };
}

function limitOf(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw invalid({ field: "limit", message: `must be an integer from 1 to ${MAX_LIMIT}` });
}

/**
 * A page of the accounts, by id: all, or those that `search` finds. `next` is null behind the last one.
 * Throws `invalid`.
 */
export async function accountsPage(database: Database, query: URLSearchParams) {
  const { cursor, limit } = pageOf(query, "search");
  const search = query.get("search");
  if (search !== null && (search === "" || search.length > MAX_SEARCH))
    throw invalid({ field: "search", message: `must have 1 to ${MAX_SEARCH} characters` });
  if (search?.includes("\0") === true)
    throw invalid({ field: "search", message: "must not contain NUL" });
  if (cursor !== null && !/^acct_\w{1,64}$/.test(cursor)) {
    throw invalid({ field: "cursor", message: "must be the `next_cursor` of a list" });
  }
  const page = [cursor ?? "", limit + 1] as const;
  const found = await (search === null
    ? database.run(listAccounts, [...page])
    : database.run(searchAccounts, [...page, search]));
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.account_id ?? null) : null };
}
