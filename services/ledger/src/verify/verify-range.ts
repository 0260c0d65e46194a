// Verifies a range of a chain: in blocks that PostgreSQL recomputes, and row by row where it does not find a
// block valid, to name the first row that is not what was appended, and why. Called by verify-chain.ts. It
// must never hold more than a page of rows in memory.

import { GENESIS_HASH } from "@annals/event";
import type { Database } from "@annals/postgres";
import { CHUNK_SIZE, chunkOf } from "../domain/chunk.ts";
import { ChainVerifier } from "../domain/chain-verifier.ts";
import { readRange } from "../store/read-range.ts";
import type { BlockChecker } from "./block-checker.ts";
import { chainRow } from "./chain-row.ts";

/** Blocks of one verification that are being checked or queued. */
const BLOCKS_AHEAD = 4;

/** Rows read at a time: a slice of the event loop of some milliseconds. */
const PAGE_SIZE = 500;

interface Deps {
  readonly blocks: BlockChecker;
  readonly database: Database;
}

/** Both ends included. An empty chain has the range 1 to 0. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Verifies the rows of a range in order, up to the first one that is not valid. A few blocks are checked
 * concurrently, and their results are taken in the order of the chain.
 */
export async function verifyRange(
  deps: Deps,
  accountId: string,
  range: Range,
  signal: AbortSignal,
): Promise<ChainVerifier> {
  const verifier = new ChainVerifier(
    accountId,
    await anchorOf(deps.database, accountId, range.from),
  );
  const ahead: { readonly block: Range; readonly checked: ReturnType<BlockChecker["check"]> }[] =
    [];
  let next = range.from;
  while (!verifier.firstInvalid) {
    while (ahead.length < BLOCKS_AHEAD && next <= range.to) {
      // A block is within a chunk: some 60 ms of PostgreSQL, a second or so where events are of the largest
      // size.
      const block = { from: next, to: Math.min((chunkOf(next) + 1) * CHUNK_SIZE, range.to) };
      const checked = deps.blocks.check(deps.database, { accountId, ...block, signal });
      // The await below rejects with it. A block that is never awaited must not be an unhandled rejection.
      checked.catch(() => {});
      ahead.push({ block, checked });
      next = block.to + 1;
    }
    const first = ahead.shift();
    if (!first) break;
    const { whole, hidden } = await first.checked;
    if (whole && !hidden && verifier.takeBlock(whole)) continue;
    const { from, to } = first.block;
    const rows = { from, to: hidden?.sequenceNumber ?? to };
    await verifyRows(deps.database, verifier, { accountId, block: rows, signal });
    if (hidden) verifier.fail(hidden.sequenceNumber, hidden.id, "digest_mismatch");
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
 * What the first event of the range has to link to: the genesis, or the event before it (none:
 * nothing links to it).
 */
async function anchorOf(database: Database, accountId: string, from: number) {
  if (from === 1) return { sequenceNumber: 0, hash: GENESIS_HASH };
  const before = String(from - 1);
  const [row] = await database.run(readRange, [accountId, before, before, 1]);
  return { sequenceNumber: from - 1, hash: row?.hash.toString("hex") ?? "" };
}
