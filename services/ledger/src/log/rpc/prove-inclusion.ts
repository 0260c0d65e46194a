// ProveInclusion: proves an event in the tree of its account, at the newest served size or an earlier one
// (docs/evidence.md).

import { AnnalsError, complete, invalid } from "@annals/errors";
import type { LedgerService } from "@annals/proto/ledger";
import { proveInclusion as prove, rootFromNodes, verifyInclusion } from "@annals/tlog";
import type { ServiceImpl } from "@connectrpc/connect";
import { accountCheckpoint } from "../account-checkpoint.ts";
import { type CoveredHead, coveredHeadOf } from "../covered-head.ts";
import { CoveredTree } from "../covered-tree.ts";
import type { LogKeys } from "../log-keys.ts";
import { countOf } from "../tile-request.ts";
import type { SearchTurns } from "../../search/search-turns.ts";

interface Deps {
  readonly keys: LogKeys;
  readonly searches: SearchTurns;
}

export function proveInclusion({
  keys,
  searches,
}: Deps): ServiceImpl<typeof LedgerService>["proveInclusion"] {
  return async ({ accountId, ...asked }, { signal }) => {
    complete({ account_id: accountId });
    const sequence = countOf("sequence_number", asked.sequenceNumber);
    if (sequence < 1) throw invalid({ field: "sequence_number", message: "must be at least 1" });
    const database = searches.of(accountId, "client", signal);
    const tree = await CoveredTree.of(database, accountId);
    const { head } = tree;
    const size = countOf("size", asked.size) || head.size;
    tree.checkSize(Math.max(size, sequence));
    if (sequence > size)
      throw invalid({ field: "sequence_number", message: "must be at most the size" });
    const index = sequence - 1;
    const proof = await tree.prove(
      size,
      (readNode) => ({
        root: rootFromNodes(size, readNode),
        leaf: readNode(0, index),
        hashes: prove(index, size, readNode),
      }),
      ({ hashes, leaf, root }) => verifyInclusion(index, size, leaf, hashes, root),
    );
    const checkpoint = await checkpointIfSigned({ database, keys }, accountId, head, size);
    return { size: BigInt(size), ...proof, checkpoint };
  };
}

/** Empty if no served epoch that is kept has this size, or keys cannot sign: the proof holds without it. */
async function checkpointIfSigned(
  deps: Parameters<typeof accountCheckpoint>[0],
  accountId: string,
  newest: CoveredHead,
  size: number,
): Promise<string> {
  try {
    const head =
      size === newest.size ? newest : await coveredHeadOf(deps.database, accountId, BigInt(size));
    return await accountCheckpoint(deps, accountId, head);
  } catch (error) {
    if (error instanceof AnnalsError && ["not_found", "unavailable"].includes(error.kind))
      return "";
    throw error;
  }
}
