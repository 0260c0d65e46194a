// Takes an erasure out of the archives of its account. Events that are stored have records already. Those
// that retention has deleted are found in the files alone, because their rows and their index are gone: their
// numbers are reported to the ledger, which records them, and keeps how far the report is. Called by
// erased-copies.ts. It must never report further than what was read, nor keep other accounts waiting for
// longer than one piece takes beyond its time.

import type { ArchiveSelector, LedgerService, OpenErasure } from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import { selects, sequenceOf } from "./rules/archive-line.ts";
import { type ArchiveRow, findAnyArchive, listWithEvents } from "./store/archives.ts";
import { readText } from "./worker/archive-text.ts";
import { eachPiece } from "./worker/each-piece.ts";
import { type SettleDeps, settleArchives, textOf } from "./settle-archives.ts";

export interface ErasedArchivesDeps extends SettleDeps {
  readonly ledger: SettleDeps["ledger"] &
    Pick<Client<typeof LedgerService>, "reportErasureMatches">;
}

/** Numbers of one report. */
const BATCH = 2_500;

/** Resolves to whether no archive of the account has a value of the erasure. */
export async function clearArchives(
  deps: ErasedArchivesDeps,
  erasure: OpenErasure,
  signal: AbortSignal,
): Promise<boolean> {
  const { accountId, archives, lastRecord: through } = erasure;
  const database = deps.database.forAccount(accountId, signal);
  if ((await database.run(findAnyArchive, [accountId])).length === 0) return true;
  if (archives === undefined) return settleArchives(deps, { accountId, through }, signal);
  // The ledger says in its next list how far the report is, or up to which record archives are to be settled.
  await reportMatches(deps, { accountId, erasureId: erasure.id, selector: archives }, signal);
  return false;
}

interface Search {
  readonly accountId: string;
  readonly erasureId: string;
  readonly selector: ArchiveSelector;
}

/**
 * Reports what it finds in its time; the next pass goes on. Replicas that do it at the same time report the
 * same numbers, which the ledger takes once.
 */
async function reportMatches(
  deps: ErasedArchivesDeps,
  { accountId, erasureId, selector }: Search,
  signal: AbortSignal,
): Promise<void> {
  const report = (sequences: bigint[], through: bigint) =>
    deps.ledger.reportErasureMatches({ accountId, erasureId, sequences, through }, { signal });
  const begun = performance.now();
  const database = deps.database.forAccount(accountId, signal);
  const { reportedThrough, retainedFrom, upToSequence } = selector;
  // What the ledger still stores it searches itself.
  const deleted = retainedFrom - 1n;
  const through = upToSequence < deleted ? upToSequence : deleted;
  const range = [accountId, String(reportedThrough), String(through)] as const;
  const list = (afterFrom: string, limit: number) =>
    database.run(listWithEvents, [...range, afterFrom, limit]);
  for await (const row of eachPiece(list, signal)) {
    let batch: bigint[] = [];
    for await (const number of matchesIn(deps, row, selector, signal)) {
      batch.push(number);
      if (batch.length < BATCH) continue;
      await report(batch, 0n);
      batch = [];
    }
    const to = BigInt(row.to_sequence);
    await report(batch, to < deleted ? to : deleted);
    if (performance.now() - begun >= deps.sliceMs) return;
  }
  await report([], upToSequence);
}

async function* matchesIn(
  { storage }: ErasedArchivesDeps,
  row: ArchiveRow,
  selector: ArchiveSelector,
  signal: AbortSignal,
): AsyncGenerator<bigint> {
  const { reportedThrough, retainedFrom, upToSequence } = selector;
  const isSelected = selects(selector);
  for await (const line of readText(storage, textOf(row), signal)) {
    const number = sequenceOf(line);
    // Behind the range are records.
    if (number > Number(row.to_sequence)) continue;
    const isSearchedFor =
      number > reportedThrough && number < retainedFrom && number <= upToSequence;
    if (isSearchedFor && isSelected(line)) yield BigInt(number);
  }
}
