// ListSearchPaths: the paths that the newest events have, for who declares a field. It must never read more
// than a bound of them, nor answer with a value.

import { complete } from "@annals/errors";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { type FoundPath, pathsIn } from "../rules/paths-in.ts";
import type { SearchTurns } from "../search-turns.ts";
import { readNewestParts } from "../store/read-newest-parts.ts";

/** Maximum events, and bytes of parts after which no further one is read. */
const MAX_EVENTS = 1_000;
const MAX_BYTES = 1024 * 1024;
/** Maximum paths, and bytes of their names. */
const MAX_PATHS = 200;
const MAX_PATH_BYTES = 48 * 1024;

interface Deps {
  readonly searches: SearchTurns;
}

export function listSearchPaths({
  searches,
}: Deps): ServiceImpl<typeof LedgerService>["listSearchPaths"] {
  return async ({ accountId }, { signal }) => {
    complete({ account_id: accountId });
    const database = searches.of(accountId, "client", signal);
    const events = await database.run(readNewestParts, [accountId, MAX_EVENTS, MAX_BYTES]);
    const paths = fitting(pathsIn(events)).map((found) => ({ ...found, path: [...found.path] }));
    return { paths, events: events.length };
  };
}

/** As many of them as a response has, the most frequent. */
function fitting(paths: readonly FoundPath[]): readonly FoundPath[] {
  let bytes = 0;
  return paths.slice(0, MAX_PATHS).filter(({ path }) => {
    bytes += Buffer.byteLength(JSON.stringify(path));
    return bytes <= MAX_PATH_BYTES;
  });
}
