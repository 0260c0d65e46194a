// One page of a list, newest first. Its cursor is a keyset: the time of creation and the id of its last row.
// Called by RPC handlers. It must never read more than one row beyond the page.

import { invalid } from "@annals/errors";

const MAX_LIMIT = 100;
/** Its version, a time of creation, and an id. */
const CURSOR = /^1\.([0-9TZ:.-]{27})\.([a-z]+_[0-9a-z]{1,64})$/;

export interface PageRequest {
  readonly limit: number;
  /** The `next` of the page before; "" for the first one. */
  readonly after: string;
}

type Keyset = [createdAt: string | null, id: string | null];

/** `read` is given where to go on, or nulls, and how many rows to read; ids have the prefix. */
export async function keysetPage<Row extends { readonly created_at: string; readonly id: string }>(
  { after, limit }: PageRequest,
  prefix: string,
  read: (...params: [...Keyset, limit: number]) => Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[]; readonly next: string }> {
  if (limit < 1 || limit > MAX_LIMIT) {
    throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
  }
  // One row more than the limit shows whether there is a next page.
  const found = await read(...decodeCursor(after, prefix), limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: last && found.length > limit ? cursorAfter(last) : "" };
}

function cursorAfter(row: { readonly created_at: string; readonly id: string }): string {
  return Buffer.from(`1.${row.created_at}.${row.id}`).toString("base64url");
}

/** Throws `invalid` for the field as clients know it: they get this text and send it back as `cursor`. */
function decodeCursor(after: string, prefix: string): Keyset {
  if (after === "") return [null, null];
  const found = CURSOR.exec(Buffer.from(after, "base64url").toString("latin1"));
  // Node ignores characters that are not base64.
  if (!found?.[2]?.startsWith(prefix) || !/^[\w-]+$/.test(after))
    throw invalid({ field: "cursor", message: "must be the next_cursor of an earlier page" });
  return [found[1] ?? null, found[2]];
}
