// Compares the filter index of a range with the events, chunk by chunk: the postings are made again from the
// events, and PostgreSQL compares them with the stored ones. Called by verify-chain.ts and by the scheduled
// verification, after the events themselves were verified. It must never report an index as right that it
// did not compare.

import type { Database } from "@annals/postgres";
import type { FirstInvalid } from "./rules/chain-verifier.ts";
import { CHUNK_SIZE } from "../search/rules/chunk.ts";
import { getSearchEnds } from "../store/get-search-ends.ts";
import type { BlockChecker } from "./block-checker.ts";
import { inBlocks, type Range } from "./blocks.ts";

interface Deps {
  readonly blocks: BlockChecker;
  readonly database: Database;
}

/** How many chunks of an account have a filter index: the first ones, without a gap. */
export async function indexedChunks(database: Database, accountId: string): Promise<number> {
  return (await searchEnds(database, accountId)).chunks;
}

async function searchEnds(database: Database, accountId: string) {
  const [ends] = await database.run(getSearchEnds, [accountId]);
  return { chunks: Number(ends?.chunks ?? 0), first: Number(ends?.first ?? 1) };
}

/**
 * The first event of the range that lists would skip. Events that are not indexed yet are not hidden, and
 * neither are those that retention has deleted.
 */
export async function verifyIndex(
  { blocks, database }: Deps,
  accountId: string,
  range: Range,
  signal: AbortSignal,
): Promise<FirstInvalid | undefined> {
  const { chunks, first } = await searchEnds(database, accountId);
  const end = chunks * CHUNK_SIZE;
  const indexed = { from: Math.max(range.from, first), to: Math.min(range.to, end) };
  const check = (block: Range) => blocks.findHidden(database, { accountId, ...block, signal });
  for await (const { result } of inBlocks(indexed, blocks.ahead, check)) {
    if (!result) continue;
    const { sequenceNumber, id: eventId } = result;
    return { sequenceNumber, eventId, reason: "digest_mismatch" };
  }
  return undefined;
}
