// Finds the events of archives that an erasure selects and that retention has deleted, and reports their
// numbers to the ledger, which records them: their rows and their index are gone, so only the files know
// them. Called by erased-copies.ts. One replica reads at a time. It must never report the last number before
// every piece was read.

import type { ArchiveSelector, LedgerService, OpenErasure } from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import { selects, sequenceOf } from "../domain/archive-line.ts";
import { ErasedNumbers } from "../domain/erased-numbers.ts";
import { readErasureRecords } from "../outbound/erasure-records.ts";
import { type ArchiveRow, releaseArchive, takeArchive } from "../store/archives.ts";
import { withArchive } from "./archive-lease.ts";
import { readText } from "./archive-text.ts";
import { piecesOf, type SettleDeps, settleArchives, textOf } from "./settle-archives.ts";

export interface ErasedArchivesDeps extends SettleDeps {
  readonly ledger: SettleDeps["ledger"] & Pick<Client<typeof LedgerService>, "reportErasureMatches">;
}

/** Maximum numbers of one report: a record of the ledger names no more. */
const BATCH = 250;

/** Resolves to whether no archive of the account has a value of the erasure. */
export async function clearArchives(
  deps: ErasedArchivesDeps,
  erasure: OpenErasure,
  signal: AbortSignal,
): Promise<boolean> {
  const { accountId, archives, lastRecord } = erasure;
  if (archives !== undefined) {
    const [first] = await Array.fromAsync(firstOf(piecesOf(deps, accountId, signal)));
    if (first !== undefined) {
      await reportMatches(deps, { erasure, first, selector: archives }, signal);
      // The ledger says in its next list up to which record the archives are to be settled.
      return false;
    }
  }
  return settleArchives(deps, { accountId, through: lastRecord }, signal);
}

async function* firstOf(pieces: AsyncGenerator<ArchiveRow>): AsyncGenerator<ArchiveRow> {
  for await (const row of pieces) {
    if (row.status !== "completed") continue;
    yield row;
    return;
  }
}

interface Search {
  readonly erasure: OpenErasure;
  readonly first: ArchiveRow;
  readonly selector: ArchiveSelector;
}

/** Reads under the lease of the first piece, so that replicas do not report the same numbers. */
async function reportMatches(
  deps: ErasedArchivesDeps,
  { erasure, first, selector }: Search,
  signal: AbortSignal,
): Promise<void> {
  const { database, leaseMs } = deps;
  const { accountId, id } = erasure;
  const place = [accountId, first.from_sequence] as const;
  const own = database.forAccount(accountId, signal);
  const [taken] = await own.run(takeArchive, [...place, "completed", leaseMs]);
  if (!taken) return;
  await withArchive(deps, taken, signal, async (within) => {
    const report = (sequences: bigint[], isLast: boolean) =>
      deps.ledger.reportErasureMatches(
        { accountId, erasureId: id, sequences, isLast },
        { signal: within },
      );
    let batch: bigint[] = [];
    for await (const row of piecesOf(deps, accountId, within)) {
      if (row.status !== "completed" || isBehind(row, selector)) continue;
      for await (const number of matchesIn(deps, row, { erasure, selector }, within)) {
        batch.push(number);
        if (batch.length < BATCH) continue;
        await report(batch, false);
        batch = [];
      }
    }
    await report(batch, true);
    await own.run(releaseArchive, [...place, taken.lease_token, 0]);
  });
}

/** Whether every event of a piece is stored after the request, or still in the ledger. */
function isBehind({ from_sequence: from }: ArchiveRow, selector: ArchiveSelector): boolean {
  return BigInt(from) > selector.upToSequence || BigInt(from) >= selector.retainedFrom;
}

async function* matchesIn(
  deps: ErasedArchivesDeps,
  row: ArchiveRow,
  { erasure, selector }: Pick<Search, "erasure" | "selector">,
  signal: AbortSignal,
): AsyncGenerator<bigint> {
  const { account_id: accountId, from_sequence: from, to_sequence: to } = row;
  // What a record of this erasure names already: an earlier report, or the ledger itself.
  const names = new ErasedNumbers(Number(from), Number(to), erasure.id);
  const records = { accountId, after: 0n, includeProof: false };
  for await (const { text } of readErasureRecords(deps.ledger, records, signal))
    for (const line of Buffer.from(text).toString().split("\n")) if (line !== "") names.take(line);
  const isSelected = selects(selector);
  for await (const line of readText(deps.storage, textOf(row), signal)) {
    const number = sequenceOf(line);
    const isReported = number > Number(to) || names.isOwn(number);
    const isGone = number < selector.retainedFrom && number <= selector.upToSequence;
    if (!isReported && isGone && isSelected(line)) yield BigInt(number);
  }
}
