// Reads pieces of archives in their order, a page at a time. Called by the workers of archives.

import type { ArchiveRow } from "../store/archives.ts";

/** Maximum rows of one statement. */
const PIECES = 100;

/** `list` reads at most `limit` pieces that begin after a number. */
export async function* eachPiece(
  list: (afterFrom: string, limit: number) => Promise<readonly ArchiveRow[]>,
  signal: AbortSignal,
): AsyncGenerator<ArchiveRow> {
  let after = "0";
  for (;;) {
    signal.throwIfAborted();
    const rows = await list(after, PIECES);
    yield* rows;
    if (rows.length < PIECES) return;
    after = rows.at(-1)?.from_sequence ?? after;
  }
}
