// What an account has that may hold an erased value: its exports, and the entries of the outbox. Called by
// worker/erased-copies.ts, in pieces.

import { statement } from "@annals/postgres";

export interface CopyRow {
  readonly id: string;
  readonly filter_json: string;
  /** Whether a file of it may have been read before the record. */
  readonly is_older: boolean;
  readonly is_deleted: boolean;
}

/** Also those that are deleted, whose files may still be there. A job that waits has no file. */
export const listCopies = statement<
  [accountId: string, record: string, afterId: string, limit: number],
  CopyRow
>(
  `/* exports.list-copies */
SELECT id, filter_json, deleted_at IS NOT NULL AS is_deleted,
  head_sequence < $2::bigint AND (status <> 'pending' OR reserved_bytes > 0) AS is_older
FROM exports.jobs
WHERE account_id = $1::text AND id > $3::text
ORDER BY id
LIMIT $4::integer
`,
  { route: "one account" },
);

export interface EntryRow {
  readonly position: string;
  readonly data: string;
}

export const listEntries = statement<
  [accountId: string, afterPosition: string, limit: number],
  EntryRow
>(
  `/* exports.list-entries */
SELECT position, data FROM exports.outbox
WHERE account_id = $1::text AND position > $2::bigint
ORDER BY position
LIMIT $3::integer
`,
  { route: "one account" },
);

/** An entry stays where it is: its reader expects each position. */
export const replaceEntry = statement<
  [accountId: string, position: string, data: string],
  { readonly position: string }
>(
  `/* exports.replace-entry */
UPDATE exports.outbox SET data = $3::text WHERE account_id = $1::text AND position = $2::bigint
RETURNING position
`,
  { route: "one account" },
);
