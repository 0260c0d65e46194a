// Verifies a range of a chain: in blocks that PostgreSQL recomputes, and row by row if it does not find a
// block valid, to name the first row that is not what was appended, and why. Called by verify-chain.ts. It
// must never hold more than a page of rows in memory.

import { GENESIS_HASH } from "@annals/event";
import type { Database } from "@annals/postgres";
import { ChainVerifier } from "./rules/chain-verifier.ts";
import { getHash } from "../store/get-hash.ts";
import { readRange } from "../store/read-range.ts";
import type { BlockChecker } from "./block-checker.ts";
import { inBlocks, type Range } from "./blocks.ts";
import { chainRow } from "./chain-row.ts";

/** The event before a range, and its hash. */
export interface Anchor {
  readonly sequenceNumber: number;
  readonly hash: string;
}

interface StoredRange {
  readonly anchor: Anchor;
  /** Events up to this number may be deleted, so that only their leaf is left. */
  readonly leavesTo: number;
  readonly range: Range;
}

/** Rows read at a time: they take some milliseconds of the event loop. */
const PAGE_SIZE = 500;

interface Deps {
  readonly blocks: BlockChecker;
  readonly database: Database;
}

/**
 * Verifies the rows of a range in order, up to the first one that is not valid. A few blocks are checked
 * concurrently, and their results are taken in the order of the chain.
 */
export async function verifyRange(
  deps: Deps,
  accountId: string,
  { anchor, leavesTo, range }: StoredRange,
  signal: AbortSignal,
): Promise<ChainVerifier> {
  const verifier = new ChainVerifier(accountId, anchor, leavesTo);
  const check = (block: Range) => deps.blocks.check(deps.database, { accountId, ...block, signal });
  for await (const { block, result } of inBlocks(range, deps.blocks.ahead, check)) {
    if (!result || !verifier.takeBlock(result))
      await verifyRows(deps.database, verifier, { accountId, block, signal });
    if (verifier.firstInvalid) break;
  }
  return verifier;
}

/** Verifies the rows of a block one by one. */
async function verifyRows(
  database: Database,
  verifier: ChainVerifier,
  of: { readonly accountId: string; readonly block: Range; readonly signal: AbortSignal },
): Promise<void> {
  const { accountId, block, signal } = of;
  const to = String(block.to);
  while (verifier.tip.next <= block.to && !verifier.firstInvalid) {
    signal.throwIfAborted();
    const from = verifier.tip.next;
    const rows = await database.run(readRange, [accountId, String(from), to, PAGE_SIZE]);
    if (rows.length === 0) verifier.fail(from, undefined, "sequence_gap");
    verifier.take(rows.map(chainRow));
  }
}

/**
 * What the first event of a range has to link to: the genesis, or the previous event. If that is missing, no
 * hash matches. The hash of a deleted event is in the tree.
 */
export async function anchorOf(
  database: Database,
  accountId: string,
  { from, isDeleted }: { readonly from: number; readonly isDeleted: boolean },
): Promise<Anchor> {
  if (from === 1) return { sequenceNumber: 0, hash: GENESIS_HASH };
  const before = String(from - 1);
  if (isDeleted) {
    const [deleted] = await database.run(getHash, [accountId, before]);
    return { sequenceNumber: from - 1, hash: deleted?.hash ?? "" };
  }
  const [row] = await database.run(readRange, [accountId, before, before, 1]);
  return { sequenceNumber: from - 1, hash: row?.hash.toString("hex") ?? "" };
}
