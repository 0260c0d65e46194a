// All people who have logged in, as an operator sees them. Called by the operator's commands and the admin
// API.

import type { Database } from "@annals/postgres";
import { keysetPage } from "@annals/rpc";
import { type KnownPersonRow, listAllPeople } from "./store/list-all-people.ts";

/** A page, newest first. `next` is empty behind the last one. */
export function listKnownPeople(
  database: Database,
  page: { readonly limit: number; readonly after: string },
): Promise<{ readonly rows: readonly KnownPersonRow[]; readonly next: string }> {
  return keysetPage(page, "usr_", (...params) => database.run(listAllPeople, params));
}
