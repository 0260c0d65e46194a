// The rows of archives: which pieces there are, who writes one, and what is in its files. Called by the
// workers and the handlers of archives. What a holder of a lease changes names its token: what an earlier
// holder still writes is refused.

import { statement } from "@annals/postgres";
import type { ArchivePlace } from "../rules/archive.ts";

/** One that ends is in no list: first until the ledger has named its holds, then until it is deleted. */
export type ArchiveStatus = "writing" | "completed" | "ending" | "ended";

export interface ArchiveRow extends ArchivePlace {
  readonly id: string;
  readonly head_sequence: string;
  readonly head_hash: string;
  readonly created_at: string;
  readonly status: ArchiveStatus;
  readonly lease_token: string;
  readonly records_through: string;
  readonly has_leftovers: boolean;
  /** Null until it is completed, as are those below. */
  readonly written_at: string | null;
  readonly file_token: string | null;
  readonly text_bytes: string | null;
  readonly text_sha256: string | null;
  readonly events_bytes: string | null;
  readonly events_sha256: string | null;
  readonly evidence_bytes: string | null;
  readonly evidence_sha256: string | null;
}

const COLUMNS = `account_id, from_sequence, to_sequence, id, month, head_sequence, head_hash, created_at, status,
  lease_token, records_through, has_leftovers, written_at, file_token, text_bytes, text_sha256, events_bytes,
  events_sha256, evidence_bytes, evidence_sha256`;

type NewArchive = [
  accountId: string,
  from: string,
  to: string,
  id: string,
  month: string,
  headSequence: string,
  headHash: string,
  createdAt: string,
];

/** Begins a piece, unless another replica has begun it. */
export const createArchive = statement<NewArchive, never>(
  `/* exports.create-archive */
INSERT INTO exports.archives (account_id, from_sequence, to_sequence, id, month, head_sequence, head_hash, created_at,
  records_through)
VALUES ($1::text, $2::bigint, $3::bigint, $4::text, $5::text, $6::bigint, $7::text, $8::text, $6::bigint)
ON CONFLICT (account_id, from_sequence) DO NOTHING
`,
  { route: "one account" },
);

type Place = [accountId: string, from: string];

export const getArchiveAt = statement<Place, ArchiveRow>(
  `/* exports.get-archive-at */
SELECT ${COLUMNS} FROM exports.archives WHERE account_id = $1::text AND from_sequence = $2::bigint
`,
  { route: "one account" },
);

/** A completed one. */
export const getArchive = statement<[accountId: string, id: string], ArchiveRow>(
  `/* exports.get-archive */
SELECT ${COLUMNS} FROM exports.archives
WHERE account_id = $1::text AND id = $2::text AND status = 'completed'
`,
  { route: "one account" },
);

type Page = [accountId: string, createdAt: string | null, id: string | null, limit: number];

/**
 * A page of completed ones, newest first. `createdAt` and `id` are those of the last one of the page before.
 */
export const listArchives = statement<Page, ArchiveRow>(
  `/* exports.list-archives */
SELECT ${COLUMNS} FROM exports.archives
WHERE account_id = $1::text AND status = 'completed'
  AND ($2::text IS NULL OR (created_at, id) < ($2::text, $3::text))
ORDER BY created_at DESC, id DESC
LIMIT $4::integer
`,
  { route: "one account" },
);

/** Whether the account has a piece, one that is being written included. */
export const findAnyArchive = statement<[accountId: string], { readonly account_id: string }>(
  `/* exports.find-any-archive */
SELECT account_id FROM exports.archives WHERE account_id = $1::text LIMIT 1
`,
  { route: "one account" },
);

type Unsettled = [accountId: string, recordsThrough: string, afterFrom: string, limit: number];

/** The pieces after a number, in their order, whose files may have what a record up to a number names. */
export const listUnsettled = statement<Unsettled, ArchiveRow>(
  `/* exports.list-unsettled */
SELECT ${COLUMNS} FROM exports.archives
WHERE account_id = $1::text AND (records_through < $2::bigint OR has_leftovers OR status IN ('ending', 'ended'))
  AND from_sequence > $3::bigint
ORDER BY from_sequence
LIMIT $4::integer
`,
  { route: "one account" },
);

type Within = [accountId: string, after: string, through: string, afterFrom: string, limit: number];

/** The pieces after a number, in their order, that have files with events of a range. */
export const listWithEvents = statement<Within, ArchiveRow>(
  `/* exports.list-with-events */
SELECT ${COLUMNS} FROM exports.archives
WHERE account_id = $1::text AND to_sequence > $2::bigint AND from_sequence <= $3::bigint
  AND status IN ('completed', 'ending') AND from_sequence > $4::bigint
ORDER BY from_sequence
LIMIT $5::integer
`,
  { route: "one account" },
);

type Ending = [
  accountId: string,
  /** Their months are over for as long as archives are kept: empty for none. */
  beforeMonth: string,
  through: string,
  afterFrom: string,
  limit: number,
];

/**
 * The pieces after a number, in their order, that are ending, and those that may: up to the event `through`.
 */
export const listEnding = statement<Ending, ArchiveRow>(
  `/* exports.list-ending */
SELECT ${COLUMNS} FROM exports.archives
WHERE account_id = $1::text AND from_sequence > $4::bigint
  AND (status IN ('ending', 'ended')
    OR status = 'completed' AND month < $2::text AND to_sequence <= $3::bigint)
ORDER BY from_sequence
LIMIT $5::integer
`,
  { route: "one account" },
);

type Take = [...Place, status: string, leaseMs: number];

/** Takes the lease of a piece. No row: another replica has it, or it is not there in this status. */
export const takeArchive = statement<Take, ArchiveRow>(
  `/* exports.take-archive */
UPDATE exports.archives
SET lease_token = lease_token + 1, has_leftovers = true,
  due_at = statement_timestamp() + $4::integer * interval '1 millisecond'
WHERE account_id = $1::text AND from_sequence = $2::bigint AND status = $3::text AND due_at <= statement_timestamp()
RETURNING ${COLUMNS}
`,
  { route: "one account" },
);

type Lease = [...Place, leaseToken: string];

interface HeldRow {
  readonly id: string;
}

/** No row: another replica has it. So it is with those below. */
export const renewArchive = statement<[...Lease, leaseMs: number], HeldRow>(
  `/* exports.renew-archive */
UPDATE exports.archives SET due_at = statement_timestamp() + $4::integer * interval '1 millisecond'
WHERE account_id = $1::text AND from_sequence = $2::bigint AND lease_token = $3::bigint
RETURNING id
`,
  { route: "one account" },
);

type Written = [
  ...Lease,
  writtenAt: string,
  textBytes: string,
  textSha256: string,
  eventsBytes: string,
  eventsSha256: string,
  evidenceBytes: string,
  evidenceSha256: string,
  recordsThrough: string,
];

/** The files of this lease are durable, and are the piece from now on. */
export const completeArchive = statement<Written, HeldRow>(
  `/* exports.complete-archive */
UPDATE exports.archives
SET status = 'completed', file_token = $3::bigint, written_at = $4::text, text_bytes = $5::bigint, text_sha256 = $6::text,
  events_bytes = $7::bigint, events_sha256 = $8::text, evidence_bytes = $9::bigint, evidence_sha256 = $10::text,
  records_through = greatest(records_through, $11::bigint)
WHERE account_id = $1::text AND from_sequence = $2::bigint AND lease_token = $3::bigint
RETURNING id
`,
  { route: "one account" },
);

/** No files of other leases are left. It ends the lease. */
export const clearArchive = statement<Lease, HeldRow>(
  `/* exports.clear-archive */
UPDATE exports.archives SET has_leftovers = false, due_at = statement_timestamp()
WHERE account_id = $1::text AND from_sequence = $2::bigint AND lease_token = $3::bigint
RETURNING id
`,
  { route: "one account" },
);

/** Ends the lease; another attempt follows after a delay. */
export const releaseArchive = statement<[...Lease, delayMs: number], HeldRow>(
  `/* exports.release-archive */
UPDATE exports.archives SET due_at = statement_timestamp() + $4::integer * interval '1 millisecond'
WHERE account_id = $1::text AND from_sequence = $2::bigint AND lease_token = $3::bigint
RETURNING id
`,
  { route: "one account" },
);

/** No record up to this number names an event of the piece that its files have not lost. */
export const settleArchive = statement<[...Place, recordsThrough: string], HeldRow>(
  `/* exports.settle-archive */
UPDATE exports.archives SET records_through = greatest(records_through, $3::bigint)
WHERE account_id = $1::text AND from_sequence = $2::bigint AND status = 'completed'
RETURNING id
`,
  { route: "one account" },
);

/** Changes what a reader sees of a written piece. One that has ended stays so. */
export const markArchive = statement<[...Lease, status: ArchiveStatus], HeldRow>(
  `/* exports.mark-archive */
UPDATE exports.archives SET status = $4::text
WHERE account_id = $1::text AND from_sequence = $2::bigint AND lease_token = $3::bigint
  AND status IN ('completed', 'ending')
RETURNING id
`,
  { route: "one account" },
);

/** Call it after the files are deleted: without the row nothing finds them. */
export const removeArchive = statement<Lease, HeldRow>(
  `/* exports.remove-archive */
DELETE FROM exports.archives
WHERE account_id = $1::text AND from_sequence = $2::bigint AND lease_token = $3::bigint
RETURNING id
`,
  { route: "one account" },
);
