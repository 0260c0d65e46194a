// Verifies a range of an account's chain and compares its end with the head. Called by the VerifyChain
// handler. Appends may go on meanwhile: the range ends at the head that was read first. A broken chain is a
// result, not an error.

import { GENESIS_HASH } from "@annals/event";
import type { Verification } from "@annals/contract";
import { internal, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { ChainVerifier, FirstInvalid } from "../domain/chain-verifier.ts";
import { findAlteredTables } from "../store/find-altered-tables.ts";
import { type EndsRow, readEnds } from "../store/read-ends.ts";
import { readRange } from "../store/read-range.ts";
import type { BlockChecker } from "./block-checker.ts";
import type { Range } from "./blocks.ts";
import { verifyIndex } from "./verify-index.ts";
import { verifyTree } from "./verify-tree.ts";
import { verifyRange } from "./verify-range.ts";

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

interface Head {
  readonly sequence: number;
  readonly hash: string;
}

/** Rejects with `invalid` if the range is not within the chain. */
export async function verifyChain(
  deps: Deps,
  asked: AskedRange,
  signal: AbortSignal,
): Promise<Omit<Verification, "covered" | "verifiedAt">> {
  const { accountId } = asked;
  await refuseAlteredTables(deps.database);
  const [ends] = await deps.database.run(readEnds, [accountId]);
  if (!ends) throw internal("the ends of a chain have no row");
  const head = {
    sequence: Number(ends.head_sequence ?? 0),
    hash: ends.head_hash?.toString("hex") ?? GENESIS_HASH,
  };
  const range = rangeOf(asked, head.sequence);
  const verifier = await verifyStored(deps, { accountId, range, ends }, signal);
  if (range.to === head.sequence) {
    await compareHead(deps.database, verifier, { accountId, head, ends });
  }
  const hidden = await findHidden(deps, asked, { range, verifier }, signal);
  const invalidEvent = hidden ?? verifier.firstInvalid;
  const inTree = invalidEvent
    ? undefined
    : await verifyTree(deps.database, accountId, range, signal);
  signal.throwIfAborted();
  const found = hidden ?? inTree;
  return {
    checked: found ? Math.max(found.sequenceNumber - range.from + 1, 0) : verifier.checked,
    fromSequence: range.from,
    toSequence: range.to,
    head,
    firstInvalid: invalidEvent ?? inTree,
  };
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

/** Both ends are included. An empty chain has the range 1 to 0. */
function rangeOf({ fromSequence, toSequence }: AskedRange, head: number): Range {
  const from = fromSequence ?? 1n;
  const to = toSequence ?? BigInt(head);
  if (from < 1n || (fromSequence !== undefined && from > BigInt(head))) {
    throw invalid({ field: "from_sequence", message: `must be from 1 to ${head}, the last event` });
  }
  if (to > BigInt(head) || (toSequence !== undefined && to < from)) {
    throw invalid({
      field: "to_sequence",
      message: `must be from ${from} to ${head}, the last event`,
    });
  }
  return { from: Number(from), to: Number(to) };
}

/** Verifies the rows of the range. If the last row is before its end, the tail was cut off. */
async function verifyStored(
  deps: Deps,
  chain: { readonly accountId: string; readonly range: Range; readonly ends: EndsRow },
  signal: AbortSignal,
): Promise<ChainVerifier> {
  const { accountId, ends, range } = chain;
  const to = Math.min(range.to, Number(ends.last_sequence ?? 0));
  const verifier = await verifyRange(deps, accountId, { from: range.from, to }, signal);
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
