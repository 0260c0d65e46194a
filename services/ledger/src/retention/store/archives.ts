// Which accounts have archives, and how far these are. Called by rpc/list-lifecycles.ts and
// rpc/confirm-archive.ts. Retention deletes what is confirmed, so a confirmation is compared here.

import { statement } from "@annals/postgres";

export interface ArchivedRow {
  readonly account_id: string;
  readonly archive: boolean;
  readonly archive_until_s: number | null;
  readonly archived_through: string;
  readonly deleted_through: string;
}

/** The accounts whose events are archived, or once were. */
export const listArchived = statement<[afterAccountId: string, limit: number], ArchivedRow>(
  `/* ledger.list-archived */
SELECT account_id, archive, extract(epoch FROM archive_until)::double precision AS archive_until_s, archived_through,
  deleted_through
FROM ledger.lifecycles
WHERE account_id > $1::text AND (archive OR archive_until IS NOT NULL OR archived_through > 0)
ORDER BY account_id
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);

type Confirm = [
  accountId: string,
  archivedThrough: string,
  toSequence: string,
  /** The newest served epoch. */
  log: number,
  epoch: string,
];

/** No row: the account has no archives, they were elsewhere, or no served epoch covers the events. */
export const confirmArchived = statement<Confirm, { readonly account_id: string }>(
  `/* ledger.confirm-archived */
UPDATE ledger.lifecycles SET archived_through = $3::bigint
WHERE account_id = $1::text AND archived_through = $2::bigint AND $3::bigint > archived_through
  AND (archive OR archive_until IS NOT NULL)
  AND $3::bigint <= (
    SELECT max(size) FROM ledger.account_heads
    WHERE account_id = $1::text AND log = $4::smallint AND epoch <= $5::bigint)
RETURNING account_id
`,
  { route: "one account" },
);
