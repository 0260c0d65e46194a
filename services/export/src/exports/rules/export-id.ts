// The ids of exports as clients may send them. Called by the handlers. Other text must never reach the
// database: it may have characters that PostgreSQL refuses as text.

import { notFound } from "@annals/errors";

const EXPORT_ID = /^exp_[0-9a-z]{1,64}$/;

/** Throws `not_found` for text that cannot be the id of an export. */
export function exportId(id: string): string {
  if (!EXPORT_ID.test(id)) throw notFound("export", id);
  return id;
}
