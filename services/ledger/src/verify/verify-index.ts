// Compares the filter index of a range with the events, segment by segment: the entries of each field and the
// runs of times are made again from the events, and compared with the stored ones. Called by verify-chain.ts
// and by the scheduled verification, after the events themselves were verified. It must never report an index
// as right that it did not compare.

import type { Database } from "@annals/postgres";
import type { FirstInvalid } from "./rules/chain-verifier.ts";
import { numbersIn, type Segment, segmentsOf } from "../search/rules/segment.ts";
import { clip } from "../search/range.ts";
import { findSegments } from "../store/find-segments.ts";
import { getSearchEnds } from "../store/get-search-ends.ts";
import type { BlockChecker, HiddenEvent } from "./block-checker.ts";
import { inTurn, type Range } from "./blocks.ts";

interface Deps {
  readonly blocks: BlockChecker;
  readonly database: Database;
}

/** The last number that is in the filter index of an account, and the last that is in a sealed segment. */
export async function indexEnds(
  database: Database,
  accountId: string,
): Promise<{ readonly indexed: number; readonly sealed: number; readonly first: number }> {
  const [ends] = await database.run(getSearchEnds, [accountId]);
  return {
    indexed: Number(ends?.indexed ?? 0),
    sealed: Number(ends?.sealed ?? 0),
    first: Number(ends?.first ?? 1),
  };
}

/**
 * The first event of the range that lists would skip or counts would misplace. What is not indexed yet is not
 * hidden, and neither is what retention has deleted.
 */
export async function verifyIndex(
  deps: Deps,
  accountId: string,
  range: Range,
  signal: AbortSignal,
): Promise<FirstInvalid | undefined> {
  const { first, indexed } = await indexEnds(deps.database, accountId);
  const to = Math.min(range.to, indexed);
  let from = Math.max(range.from, first);
  while (from <= to) {
    // oxlint-disable-next-line no-await-in-loop -- segments may be sealed meanwhile: these are planned again
    const { hidden, reached } = await verifyPlanned(deps, accountId, { from, to }, signal);
    if (hidden) return hidden;
    from = reached + 1;
  }
  return undefined;
}

interface Part extends Range {
  readonly segment: Segment;
  /** The first number behind the part before it: the chunks between them are missing. */
  readonly since: number;
}

/** Resolves also to the number up to which nothing is hidden. */
async function verifyPlanned(
  { blocks, database }: Deps,
  accountId: string,
  range: Range,
  signal: AbortSignal,
): Promise<{ readonly hidden: FirstInvalid | undefined; readonly reached: number }> {
  const { from, to } = range;
  const [row] = await database.run(findSegments, [accountId, from, to, null, null, null, null]);
  let next = from;
  const parts = segmentsOf(row ?? { chunks: null, sealed: null }).map((segment): Part => {
    const part = { ...clip(range, numbersIn(segment)), segment, since: next };
    next = part.to + 1;
    return part;
  });
  const byTime = (since: number, upTo: number) =>
    blocks.findHiddenTime(database, { accountId, from: since, to: upTo, signal });
  const check = async ({ segment, since, ...part }: Part) => {
    const early = await byTime(since, part.to);
    const asked = { accountId, ...part, signal };
    const { hidden, isKept } = await blocks.compareSegment(database, asked, segment);
    const wrong = await blocks.findWrongTime(database, asked);
    return { hidden: firstOf(firstOf(early, hidden), wrong), isKept };
  };
  let reached = from - 1;
  for await (const { block, result } of inTurn(parts, blocks.ahead, check)) {
    if (!result.isKept) return { hidden: undefined, reached };
    if (result.hidden) return { hidden: invalid(result.hidden), reached };
    reached = block.to;
  }
  const late = next <= to ? await byTime(next, to) : undefined;
  return { hidden: late && invalid(late), reached: to };
}

function firstOf(
  one: HiddenEvent | undefined,
  other: HiddenEvent | undefined,
): HiddenEvent | undefined {
  if (!one || !other) return one ?? other;
  return one.sequenceNumber <= other.sequenceNumber ? one : other;
}

function invalid({ id, index, sequenceNumber }: HiddenEvent): FirstInvalid {
  return { sequenceNumber, eventId: id, reason: "digest_mismatch", index };
}
