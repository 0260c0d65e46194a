// Verifies a range of an account's chain and compares its end with the head. Called by the VerifyChain
// handler. Appends may go on meanwhile: the range ends at the head that was read first. A broken chain is a
// result, not an error.

import { GENESIS_HASH } from "@annals/event";
import type { Verification } from "@annals/contract";
import { AnnalsError, internal, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { ChainVerifier, FirstInvalid } from "./rules/chain-verifier.ts";
import { findAlteredTables } from "./store/find-altered-tables.ts";
import { type EndsRow, readEnds } from "../store/read-ends.ts";
import { readRange } from "../store/read-range.ts";
import type { BlockChecker } from "./block-checker.ts";
import type { Range } from "./blocks.ts";
import { findCut } from "./find-cut.ts";
import { verifyErasures } from "./verify-erasures.ts";
import { verifyIndex } from "./verify-index.ts";
import { verifyTree } from "./verify-tree.ts";
import { type Retained, retainedOf } from "./retained.ts";
import { anchorOf, verifyRange } from "./verify-range.ts";

interface Deps {
  readonly blocks: BlockChecker;
  readonly database: Database;
}

/** The range to verify; by default from the first event to the head. */
export interface AskedRange {
  readonly accountId: string;
  readonly fromSequence?: bigint | undefined;
  readonly toSequence?: bigint | undefined;
  /** Maximum events of a range whose filter index is compared. */
  readonly indexUpTo: number;
}

interface RetainedRange extends AskedRange {
  readonly retained: Retained;
}

interface Head {
  readonly sequence: number;
  readonly hash: string;
}

/** What was found. `firstInvalid` says whether the filter index alone is wrong; the interface does not. */
type Verified = Omit<Verification, "covered" | "firstInvalid" | "verifiedAt"> & {
  readonly firstInvalid: FirstInvalid | undefined;
};

/** Rejects with `invalid` if the range is not within the chain. */
export async function verifyChain(
  deps: Deps,
  asked: AskedRange,
  signal: AbortSignal,
): Promise<Verified> {
  await refuseAlteredTables(deps.database);
  for (;;) {
    const retained = await retainedOf(deps.database, asked.accountId);
    const verifying = verifyRetained(deps, { ...asked, retained }, signal);
    const isMoved = async () => {
      const { from } = await retainedOf(deps.database, asked.accountId);
      return from !== retained.from;
    };
    const verified = await verifying.catch(async (error: unknown) => {
      if (!(error instanceof AnnalsError) || !(await isMoved())) throw error;
      return undefined;
    });
    // An event that retention deletes meanwhile is missing to a verification that has begun.
    if (verified && (verified.firstInvalid === undefined || !(await isMoved()))) return verified;
    signal.throwIfAborted();
  }
}

async function verifyRetained(
  deps: Deps,
  asked: RetainedRange,
  signal: AbortSignal,
): Promise<Verified> {
  const { accountId, retained } = asked;
  const [ends] = await deps.database.run(readEnds, [accountId]);
  if (!ends) throw internal("the ends of a chain have no row");
  const head = {
    sequence: Number(ends.head_sequence ?? 0),
    hash: ends.head_hash?.toString("hex") ?? GENESIS_HASH,
  };
  const range = rangeOf(asked, head.sequence);
  const verifier = await verifyStored(deps, { accountId, range, ends, retained }, signal);
  if (range.to === head.sequence) {
    await compareHead(deps.database, verifier, { accountId, head, ends });
  }
  const hidden = await findHidden(deps, asked, { range, verifier }, signal);
  const { erasedParts, unrecorded } = await verifyErasures(
    deps.database,
    accountId,
    verifier.erased,
    signal,
  );
  // Both are before what the verifier found.
  const named = firstOf(hidden, unrecorded);
  const invalidEvent = named ?? verifier.firstInvalid;
  let inTree: FirstInvalid | undefined;
  if (!invalidEvent) {
    inTree = await verifyTree(deps, accountId, range, signal);
    if (range.to === head.sequence) inTree ??= await findCut(deps.database, accountId);
  }
  signal.throwIfAborted();
  const found = named ?? inTree;
  const upToFound = found && Math.max(found.sequenceNumber - range.from + 1, 0);
  return {
    checked: Math.min(upToFound ?? Infinity, verifier.checked),
    fromSequence: range.from,
    toSequence: range.to,
    retainedFrom: retained.from,
    erasedParts,
    head,
    firstInvalid: invalidEvent ?? inTree,
  };
}

function firstOf(
  one: FirstInvalid | undefined,
  other: FirstInvalid | undefined,
): FirstInvalid | undefined {
  if (!one || !other) return one ?? other;
  return one.sequenceNumber <= other.sequenceNumber ? one : other;
}

/** The first event, before any invalid one, that the filter index hides from lists. */
async function findHidden(
  deps: Deps,
  { accountId, indexUpTo }: AskedRange,
  { range, verifier }: { readonly range: Range; readonly verifier: ChainVerifier },
  signal: AbortSignal,
): Promise<FirstInvalid | undefined> {
  if (range.to - range.from + 1 > indexUpTo) return undefined;
  const to = verifier.firstInvalid ? verifier.firstInvalid.sequenceNumber - 1 : range.to;
  return verifyIndex(deps, accountId, { from: range.from, to }, signal);
}

/**
 * Rejects if readers may be shown something other than what is stored. A verification of what these
 * statements read would then say nothing about what others read.
 */
async function refuseAlteredTables(database: Database): Promise<void> {
  const altered = await database.run(findAlteredTables, []);
  if (altered.length === 0) return;
  const names = altered.map(({ name }) => `ledger.${name}`).join(", ");
  throw internal(
    `${names}: row security, a rule or a view may hide events; the chain cannot be verified`,
  );
}

interface StoredChain {
  readonly accountId: string;
  readonly range: Range;
  readonly ends: EndsRow;
  readonly retained: Retained;
}

/** Both ends are included. An empty chain has the range 1 to 0. */
function rangeOf({ fromSequence, retained, toSequence }: RetainedRange, head: number): Range {
  const first = BigInt(retained.from);
  const from = fromSequence ?? first;
  const to = toSequence ?? BigInt(head);
  const deleted = `retention has deleted the events before ${first}, the first that can be verified`;
  if (from >= 1n && from < first) throw invalid({ field: "from_sequence", message: deleted });
  if (fromSequence === undefined && to >= 1n && to < first)
    throw invalid({ field: "to_sequence", message: deleted });
  if (from < 1n || (fromSequence !== undefined && from > BigInt(head))) {
    throw invalid({
      field: "from_sequence",
      message: `must be from ${first} to ${head}, the last event`,
    });
  }
  if (to > BigInt(head) || (toSequence !== undefined && to < from)) {
    throw invalid({
      field: "to_sequence",
      message: `must be from ${from} to ${head}, the last event`,
    });
  }
  return { from: Number(from), to: Number(to) };
}

/**
 * Verifies the rows of the range. If the last row is before its end, the tail was cut off. A range that
 * begins with the first event has to continue the leaves before it, which are verified, too.
 */
async function verifyStored(
  deps: Deps,
  chain: StoredChain,
  signal: AbortSignal,
): Promise<ChainVerifier> {
  const { accountId, ends, range, retained } = chain;
  const isFirst = range.from === retained.from;
  const from = isFirst ? retained.leaves : range.from;
  let anchor = await anchorOf(deps.database, accountId, { from, isDeleted: isFirst });
  const before = { from, to: range.from - 1 };
  const leaves = { anchor, leavesTo: before.to, range: before };
  const { firstInvalid, tip } = await verifyRange(deps, accountId, leaves, signal);
  anchor = { sequenceNumber: before.to, hash: tip.hash };
  const to = firstInvalid ? before.to : Math.min(range.to, Number(ends.last_sequence ?? 0));
  const stored = { anchor, leavesTo: 0, range: { from: range.from, to } };
  const verifier = await verifyRange(deps, accountId, stored, signal);
  if (firstInvalid)
    verifier.fail(firstInvalid.sequenceNumber, firstInvalid.eventId, firstInvalid.reason);
  if (to < range.to) verifier.fail(verifier.tip.next, undefined, "head_mismatch");
  return verifier;
}

/**
 * Compares the head with the last row, which has to be the end of what was verified: otherwise a row was
 * added or changed.
 */
async function compareHead(
  database: Database,
  verifier: ChainVerifier,
  chain: { readonly accountId: string; readonly head: Head; readonly ends: EndsRow },
): Promise<void> {
  const { accountId, ends, head } = chain;
  if (Number(ends.last_sequence ?? 0) > head.sequence) {
    const beyond = String(head.sequence + 1);
    const [row] = await database.run(readRange, [accountId, beyond, beyond, 1]);
    verifier.fail(head.sequence + 1, row?.id, "head_mismatch");
  } else if (verifier.tip.hash !== head.hash) {
    verifier.fail(head.sequence, ends.last_id ?? undefined, "head_mismatch");
  }
}
