// Which page of a list a request of the admin API asks for. Called by the files of the routes.

import { invalid } from "@annals/errors";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** Throws `invalid`. */
export function pageOf(query: URLSearchParams) {
  const unknown = [...query.keys()].find((name) => name !== "limit" && name !== "cursor");
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
