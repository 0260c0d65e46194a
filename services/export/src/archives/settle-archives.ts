// Takes out of the archives of an account what records of erasures name. Called by erased-archives.ts for an
// erasure, and by worker/archives.ts before it archives further events: retention may delete their records
// then. It must never say that a piece is settled while a file with an erased value may be left.

import type { Logger } from "@annals/chassis";
import { parseCheckpoint, parseNote } from "@annals/tlog";
import { archiveFiles } from "./rules/archive.ts";
import { sequenceOf, withoutParts } from "./rules/archive-line.ts";
import { ErasedNumbers } from "../formats/rules/erased-numbers.ts";
import { readErasureRecords } from "../outbound/erasure-records.ts";
import {
  type ArchiveRow,
  clearArchive,
  listUnsettled,
  settleArchive,
  takeArchive,
} from "./store/archives.ts";
import { readText } from "./worker/archive-text.ts";
import { withArchive } from "./worker/archive-lease.ts";
import { NotCovered } from "../exports/write-bundle.ts";
import { dropArchive } from "./worker/drop-archive.ts";
import { eachPiece } from "./worker/each-piece.ts";
import { type ArchiveDeps, bundleOf, removeFiles, writeArchive } from "./worker/write-archive.ts";

export interface SettleDeps extends ArchiveDeps {
  readonly log: Logger;
  readonly leaseMs: number;
  /** An account has so much time in a pass over all accounts, and always one piece. */
  readonly sliceMs: number;
}

/** Resolves to whether no piece is left that may have what records up to `through` name. */
export async function settleArchives(
  deps: SettleDeps,
  { accountId, through }: { readonly accountId: string; readonly through: bigint },
  signal: AbortSignal,
): Promise<boolean> {
  let isSettled = true;
  const begun = performance.now();
  const database = deps.database.forAccount(accountId, signal);
  const list = (afterFrom: string, limit: number) =>
    database.run(listUnsettled, [accountId, String(through), afterFrom, limit]);
  for await (const row of eachPiece(list, signal)) {
    if (row.status === "writing") {
      // It may have read the events before the record. Its worker makes it anew.
      if (BigInt(row.records_through) < through)
        isSettled = (await dropUnfinished(deps, row)) && isSettled;
    } else if (row.status !== "completed") {
      // It is deleted soon, or completed again: its files may have what was not searched for.
      isSettled = false;
    } else isSettled = (await settle(deps, row, through, signal)) && isSettled;
    if (performance.now() - begun >= deps.sliceMs) return false;
  }
  return isSettled;
}

/** Resolves to whether the piece is gone. */
async function dropUnfinished(deps: SettleDeps, row: ArchiveRow): Promise<boolean> {
  const { database, leaseMs } = deps;
  const { account_id: accountId, from_sequence: from } = row;
  const params = [accountId, from, "writing", leaseMs] as const;
  const [taken] = await database.forAccount(accountId).run(takeArchive, [...params]);
  if (taken) await dropArchive(deps, taken);
  return taken !== undefined;
}

async function settle(
  deps: SettleDeps,
  row: ArchiveRow,
  through: bigint,
  signal: AbortSignal,
): Promise<boolean> {
  const { account_id: accountId, from_sequence: from } = row;
  const database = deps.database.forAccount(accountId, signal);
  const names = await namesIn(deps, row, through, signal);
  if (names.isEmpty && !row.has_leftovers) {
    await database.run(settleArchive, [accountId, from, String(through)]);
    return true;
  }
  const [taken] = await database.run(takeArchive, [accountId, from, "completed", deps.leaseMs]);
  if (!taken) return false;
  const work = async (within: AbortSignal) => {
    if (names.isEmpty) {
      // An attempt has ended between its files and the deletion of the older ones.
      const others = { before: taken.lease_token, kept: taken.file_token };
      await removeFiles(deps.storage, taken, others);
      await database.run(settleArchive, [accountId, from, String(through)]);
      await database.run(clearArchive, [accountId, from, taken.lease_token]);
    } else await rewrite(deps, taken, { names, through }, within);
  };
  return withArchive(deps, taken, signal, work).then(() => true, falseUntilCovered);
}

/** A later attempt finds that the log covers the records. */
export function falseUntilCovered(error: unknown): false {
  if (error instanceof NotCovered) return false;
  throw error;
}

/** Reads what records name of a piece and its files may have. */
async function namesIn(
  { ledger }: SettleDeps,
  row: ArchiveRow,
  through: bigint,
  signal: AbortSignal,
): Promise<ErasedNumbers> {
  const names = new ErasedNumbers(Number(row.from_sequence), Number(row.to_sequence));
  const after = BigInt(row.records_through);
  const records = { accountId: row.account_id, after, through, includeProof: false };
  for await (const { text } of readErasureRecords(ledger, records, signal))
    for (const line of Buffer.from(text).toString().split("\n")) if (line !== "") names.take(line);
  return names;
}

/** Writes the files anew: without what is named, and with the records that name it. */
async function rewrite(
  deps: SettleDeps,
  row: ArchiveRow,
  { names, through }: { readonly names: ErasedNumbers; readonly through: bigint },
  signal: AbortSignal,
): Promise<void> {
  const { account_id: accountId } = row;
  const { checkpoint } = await deps.ledger.readCheckpoint({ accountId }, { signal });
  const { root, size } = parseCheckpoint(parseNote(checkpoint).text);
  if (BigInt(size) < through)
    throw new NotCovered(`the log does not cover the record of an erasure, event ${through}, yet`);
  const job = {
    ...bundleOf(row),
    head_hash: root.toString("hex"),
    head_sequence: String(size),
  };
  let last = BigInt(row.to_sequence);
  const texts = async function* () {
    for await (const line of readText(deps.storage, textOf(row), signal)) {
      const sequence = sequenceOf(line);
      if (sequence > last) last = BigInt(sequence);
      yield withoutParts(line, names.bitsOf(sequence));
    }
    const known = BigInt(row.records_through);
    const after = known > last ? known : last;
    const records = { accountId, after, through, includeProof: true };
    for await (const page of readErasureRecords(deps.ledger, records, signal)) {
      last = page.last.sequenceNumber;
      yield page.text;
    }
  };
  const events = { texts: texts(), last: () => last };
  await writeArchive(deps, row, { events, job, recordsThrough: through }, signal);
}

export function textOf(row: ArchiveRow) {
  const { events: file } = archiveFiles(row, row.file_token ?? "0");
  return { file, text: { sha256: row.text_sha256 ?? "", size: Number(row.text_bytes) } };
}
