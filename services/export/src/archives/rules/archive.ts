// The names of archives: their folders, their files, and when their months end. Called by the workers and the
// handlers of archives.

import { notFound } from "@annals/errors";

const ARCHIVE_ID = /^arc_[0-9a-z]{1,64}$/;
const FILE = /^(?:events|evidence)\.(\d+)\.(?:jsonl\.zst|tar)$/;

/** Throws `not_found` for text that cannot be the id of an archive. */
export function archiveId(id: string): string {
  if (!ARCHIVE_ID.test(id)) throw notFound("archive", id);
  return id;
}

/** What names the folder of an archive. */
export interface ArchivePlace {
  readonly account_id: string;
  readonly month: string;
  readonly from_sequence: string;
  readonly to_sequence: string;
}

export function archiveFolder(place: ArchivePlace): string {
  const { account_id: account, from_sequence: from, month, to_sequence: to } = place;
  return `archive/${account}/${month}-${from}-${to}`;
}

/** The files that the holder of a lease writes. */
export function archiveFiles(place: ArchivePlace, token: string) {
  const folder = archiveFolder(place);
  return {
    events: `${folder}/events.${token}.jsonl.zst`,
    evidence: `${folder}/evidence.${token}.tar`,
  };
}

/** The lease of which a file of a folder is; undefined for a file of another form. */
export function leaseOf(file: string): bigint | undefined {
  const [, token] = FILE.exec(file.slice(file.lastIndexOf("/") + 1)) ?? [];
  return token === undefined ? undefined : BigInt(token);
}

/** Milliseconds since 1970 at which a month, such as 2026-01, has ended. */
export function monthEnd(month: string): number {
  const [year = 0, number = 0] = month.split("-").map(Number);
  // Date counts months from 0, so the number of this month is that of the next.
  return Date.UTC(year, number);
}
