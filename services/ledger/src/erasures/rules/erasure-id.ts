// The ids of erasures as clients may send them. Called by the handlers. Other text must never reach the
// database: it may have characters that PostgreSQL refuses as text.

import { notFound } from "@annals/errors";

const ERASURE_ID = /^era_[0-9a-z]{1,64}$/;

/** Throws `not_found` for text that cannot be the id of an erasure. */
export function erasureId(id: string): string {
  if (!ERASURE_ID.test(id)) throw notFound("erasure", id);
  return id;
}
