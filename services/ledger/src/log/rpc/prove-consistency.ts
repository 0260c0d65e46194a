// ProveConsistency: proves that the tree of an account at one size is a prefix of the tree at a later size,
// which is at most the newest served one (docs/evidence.md).

import { complete, invalid } from "@annals/errors";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { CoveredTree } from "../covered-tree.ts";
import { countOf } from "../tile-request.ts";
import type { SearchTurns } from "../../search/search-turns.ts";

interface Deps {
  readonly searches: SearchTurns;
}

export function proveConsistency({
  searches,
}: Deps): ServiceImpl<typeof LedgerService>["proveConsistency"] {
  return async ({ accountId, ...asked }, { signal }) => {
    complete({ account_id: accountId });
    const from = countOf("from", asked.from);
    if (from < 1) throw invalid({ field: "from", message: "must be at least 1" });
    const tree = await CoveredTree.of(searches.of(accountId, "client", signal), accountId);
    const to = countOf("to", asked.to) || tree.head.size;
    tree.checkSize(Math.max(from, to));
    if (from > to) throw invalid({ field: "from", message: "must be at most `to`" });
    const { fromRoot, hashes, root } = await tree.proveConsistency(from, to);
    return { from: BigInt(from), fromRoot, to: BigInt(to), toRoot: root, hashes };
  };
}
