// The tile that the path of a request names, strictly as c2sp.org/tlog-tiles writes it. Used by the routes of
// the account's log and by head-log.ts.

import { parseTilePath, type TilePath, TlogError } from "@annals/tlog";
import { AnnalsError } from "@annals/errors";
import { Type } from "typebox";

/** What precedes the path of a tile. */
const LOG = "/log/";

export const TileIndex = Type.String({
  pattern: "^(x\\d{3}/)*\\d{3}(\\.p/\\d{1,3})?$",
  description:
    "The index in groups of three digits as c2sp.org/tlog-tiles writes it, such as `x001/x234/067`. `.p/` and a " +
    "width from 1 to 255 at the end name a partial tile.",
  examples: ["000"],
});

/** Undefined for any other path. */
export function tileAt(path: string): TilePath | undefined {
  try {
    return parseTilePath(path);
  } catch (error) {
    if (error instanceof TlogError) return undefined;
    throw error;
  }
}

/** The tile of a URL as the client sent it, query or not. Throws `not_found` for any other path. */
export function tileOf(url: string): TilePath {
  const [path = ""] = url.split("?", 1);
  const tile = tileAt(path.slice(path.indexOf(LOG) + LOG.length));
  if (tile === undefined) throw new AnnalsError("not_found", "This is not the path of a tile.");
  return tile;
}
