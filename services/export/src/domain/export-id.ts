// The ids of exports as clients may send them. What is no such id is no export, and is not given to
// the database: it may hold characters that no text of PostgreSQL has.

import { notFound } from "@annals/errors";

const EXPORT_ID = /^exp_[0-9a-z]{1,64}$/;

/** Throws `not_found` for what cannot be the id of an export. */
export function exportId(id: string): string {
  if (!EXPORT_ID.test(id)) throw notFound("export", id);
  return id;
}
