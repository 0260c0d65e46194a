// ReadTile: the hashes of one tile of an account's tree, full or partial, as far as the newest served epoch
// covers the tree (docs/evidence.md).

import { complete, invalid } from "@annals/errors";
import type { LedgerService } from "@annals/proto/ledger";
import { admissionOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { CoveredTree } from "../covered-tree.ts";
import { checkWidth, countOf } from "../tile-request.ts";
import type { SearchTurns } from "../../search/search-turns.ts";

const MAX_LEVEL = 63;

interface Deps {
  readonly searches: SearchTurns;
}

export function readTile({ searches }: Deps): ServiceImpl<typeof LedgerService>["readTile"] {
  return async ({ accountId, level, index, width }, context) => {
    complete({ account_id: accountId });
    checkWidth(width);
    if (level > MAX_LEVEL)
      throw invalid({ field: "level", message: `must be at most ${MAX_LEVEL}` });
    const tile = { level, index: countOf("index", index), width };
    // Other services have no admission.
    const kind = admissionOf(context) ? "client" : "service";
    const tree = await CoveredTree.of(searches.of(accountId, kind, context.signal), accountId);
    return { hashes: await tree.readTile(tile) };
  };
}
