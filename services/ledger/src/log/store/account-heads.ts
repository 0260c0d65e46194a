// The heads of accounts in epochs: stored if a head changed, and read as they were in an epoch.

import { statement } from "@annals/postgres";

type NewHead = [accountId: string, log: number, epoch: string, size: string, root: Buffer];

/** Stores the head of one account. ON CONFLICT DO NOTHING: it may repeat. */
export const createAccountHead = statement<NewHead, never>(
  `/* ledger.create-account-head */
INSERT INTO ledger.account_heads (account_id, log, epoch, size, root)
VALUES ($1::text, $2::smallint, $3::bigint, $4::bigint, $5::bytea)
ON CONFLICT (account_id, log, epoch) DO NOTHING
`,
  { route: "one account" },
);

type NewHeads = [
  accountIds: readonly string[],
  log: number,
  epoch: string,
  sizes: readonly string[],
  roots: readonly Buffer[],
];

/** Stores the heads of several accounts. Only if tables are not distributed. */
export const createAccountHeads = statement<NewHeads, never>(
  `/* ledger.create-account-heads */
INSERT INTO ledger.account_heads (account_id, log, epoch, size, root)
SELECT account_id, $2::smallint, $3::bigint, size, root
FROM unnest($1::text[], $4::bigint[], $5::bytea[]) AS given (account_id, size, root)
ORDER BY account_id
ON CONFLICT (account_id, log, epoch) DO NOTHING
`,
  { route: "some accounts" },
);

export interface HeadRow {
  readonly account_id: string;
  /** In which the head changed. */
  readonly epoch: string;
  readonly size: string;
  readonly root: Buffer;
}

type AsOf = [accountIds: readonly string[], log: number, epoch: string];

/**
 * The heads that accounts have in an epoch, in any order. Only if tables are not distributed: elsewhere
 * get-account-head reads one at a time.
 */
export const getAccountHeads = statement<AsOf, HeadRow>(
  `/* ledger.get-account-heads */
SELECT given.account_id, head.epoch, head.size, head.root
FROM unnest($1::text[]) AS given (account_id)
CROSS JOIN LATERAL (
  SELECT epoch, size, root FROM ledger.account_heads
  WHERE account_heads.account_id = given.account_id AND log = $2::smallint AND epoch <= $3::bigint
  ORDER BY epoch DESC
  LIMIT 1
) AS head
`,
  { route: "some accounts" },
);

/** Keeps the signed checkpoint of an account's head. */
export const keepCheckpoint = statement<
  [accountId: string, log: number, epoch: string, checkpoint: string],
  never
>(
  `/* ledger.keep-checkpoint */
UPDATE ledger.account_heads SET checkpoint = $4::text
WHERE account_id = $1::text AND log = $2::smallint AND epoch = $3::bigint
`,
  { route: "one account" },
);

type Thinned = [accountIds: readonly string[], log: number, after: string, to: string];

/**
 * Deletes the heads of accounts in the epochs after one, up to another, but for the newest of each account.
 */
export const thinAccountHeads = statement<Thinned, never>(
  `/* ledger.thin-account-heads */
DELETE FROM ledger.account_heads AS older
WHERE older.account_id = ANY ($1::text[]) AND older.log = $2::smallint
  AND older.epoch > $3::bigint AND older.epoch < $4::bigint
  AND EXISTS (
    SELECT 1 FROM ledger.account_heads AS newer
    WHERE newer.account_id = older.account_id AND newer.account_id = ANY ($1::text[])
      AND newer.log = $2::smallint AND newer.epoch > older.epoch AND newer.epoch <= $4::bigint
  )
`,
  { route: "some accounts" },
);
