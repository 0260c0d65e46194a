// Writes the two files of a piece of an archive: its events, and what proves them
// (docs/lifecycle.md#archives). Called by archives.ts for a new piece, and by settle-archives.ts for one that
// loses erased parts. Both files must be durable before the row says so, and no file of a later lease is ever
// deleted.

import type { DatabaseClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { create, toBinary } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { createHash } from "node:crypto";
import { archiveFiles, archiveFolder, leaseOf } from "../rules/archive.ts";
import type { Metrics } from "../../metrics.ts";
import type { LogReads } from "../../outbound/read-log.ts";
import type { Storage } from "../../storage/storage.ts";
import { type ArchiveRow, clearArchive, completeArchive } from "../store/archives.ts";
import { writeText } from "./archive-text.ts";
import { FileWriter } from "../../exports/file-writer.ts";
import { LeaseLost } from "../../exports/lease.ts";
import { addEvidence, type BundleJob, newTar } from "../../exports/write-bundle.ts";

export interface ArchiveDeps {
  readonly clock: DatabaseClock;
  readonly database: Pool;
  readonly ledger: LogReads & Pick<Client<typeof LedgerService>, "listEvents" | "streamEvents">;
  readonly metrics: Pick<Metrics, "archiveBytes">;
  readonly storage: Storage;
}

/** The events of a piece, and once they are read, the last one: a record may follow its range. */
export interface ArchiveEvents {
  readonly texts: AsyncIterable<Uint8Array>;
  readonly last: () => bigint;
}

interface WrittenFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** Archives count among no bytes of exports. */
const unbounded = () => Promise.resolve();

/** A piece as a bundle without a filter, whose head is that of the row. */
export function bundleOf(row: ArchiveRow): BundleJob {
  const range = {
    afterSequence: BigInt(row.from_sequence) - 1n,
    beforeSequence: BigInt(row.to_sequence) + 1n,
  };
  return {
    account_id: row.account_id,
    created_at: row.created_at,
    filter: Buffer.from(toBinary(EventFilterSchema, create(EventFilterSchema, range))),
    filter_json: "{}",
    head_hash: row.head_hash,
    head_sequence: row.head_sequence,
  };
}

/** Call it with the lease of the row. The piece then lacks what records up to `recordsThrough` name. */
export async function writeArchive(
  deps: ArchiveDeps,
  row: ArchiveRow,
  {
    events,
    job,
    recordsThrough,
  }: {
    readonly events: ArchiveEvents;
    readonly job: BundleJob;
    readonly recordsThrough: bigint;
  },
  signal: AbortSignal,
): Promise<void> {
  const { clock, database, metrics, storage } = deps;
  const { account_id: accountId, from_sequence: from, lease_token: token } = row;
  const files = archiveFiles(row, token);
  await removeFiles(storage, row, { before: token, kept: row.file_token });
  const { evidence, text, written } = await writeFiles(deps, { events, files, job, row }, signal);
  const ownDatabase = database.forAccount(accountId);
  const [completed] = await ownDatabase.run(completeArchive, [
    accountId,
    from,
    token,
    clock.nowText(),
    String(text.size),
    text.sha256,
    String(written.bytes),
    written.sha256,
    String(evidence.bytes),
    evidence.sha256,
    String(recordsThrough),
  ]);
  if (!completed) {
    await removeBoth(storage, files);
    throw new LeaseLost("another replica holds the archive, or it was deleted");
  }
  metrics.archiveBytes.inc(written.bytes + evidence.bytes);
  await removeFiles(storage, row, { before: token });
  await ownDatabase.run(clearArchive, [accountId, from, token]);
}

type FileNames = ReturnType<typeof archiveFiles>;

interface Writing {
  readonly events: ArchiveEvents;
  readonly files: FileNames;
  readonly job: BundleJob;
  readonly row: ArchiveRow;
}

/** If it rejects, nothing of the files is left, provided that the storage is reachable. */
async function writeFiles(
  { ledger, storage }: ArchiveDeps,
  { events, files, job, row }: Writing,
  signal: AbortSignal,
) {
  try {
    let text = { sha256: "", size: 0 };
    const written = await writeFile(storage, files.events, async (writer) => {
      text = await writeText(writer, events.texts, signal);
    });
    const [from, end, last] = [BigInt(row.from_sequence), BigInt(row.to_sequence), events.last()];
    const range = { from, end, to: last > end ? last : end };
    const evidence = await writeFile(storage, files.evidence, (writer) =>
      addEvidence(newTar(job, writer), { events: text, job, ledger, range }, signal),
    );
    return { evidence, text, written };
  } catch (error) {
    await removeBoth(storage, files);
    throw error;
  }
}

async function removeBoth(storage: Storage, { events, evidence }: FileNames): Promise<void> {
  await Promise.allSettled([storage.remove(events), storage.remove(evidence)]);
}

interface Older {
  /** A lease: its files and those of later ones stay. */
  readonly before: bigint | string;
  /** The lease of which the files stay, too. */
  readonly kept?: string | null;
}

/** Deletes the files of earlier leases, all of their versions. */
export async function removeFiles(
  storage: Storage,
  row: ArchiveRow,
  { before, kept = null }: Older,
): Promise<void> {
  for (const file of await storage.list(archiveFolder(row))) {
    const token = leaseOf(file);
    const isOlder = token !== undefined && token < BigInt(before);
    if (isOlder && String(token) !== kept) await storage.remove(file);
  }
}

async function writeFile(
  storage: Storage,
  file: string,
  write: (writer: FileWriter) => Promise<void>,
): Promise<WrittenFile> {
  const sink = await storage.create(file);
  try {
    // The digest of the writer begins anew with each file of a tar file.
    const digest = createHash("sha256");
    const hashed = {
      ...sink,
      write: (chunk: Uint8Array) => {
        digest.update(chunk);
        return sink.write(chunk);
      },
    };
    const writer = new FileWriter(hashed, unbounded);
    await write(writer);
    await sink.finish();
    return { bytes: writer.sizeBytes, sha256: digest.digest("hex") };
  } catch (error) {
    await sink.abort().catch(() => {});
    throw error;
  }
}
