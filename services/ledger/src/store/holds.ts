// The holds of an account. Called by holds/, which places and releases them under the lock of the account's
// head, by erasures/ and by retention/. A row is never deleted: its release names the record that says so
// (docs/adr/0054-records-in-the-accounts-chain.md).

import { statement } from "@annals/postgres";

export type HoldOwner = "account" | "operator";

export interface HoldRow {
  readonly id: string;
  readonly from_sequence: string;
  readonly to_sequence: string | null;
  readonly actor_id: string | null;
  readonly owner: HoldOwner;
  readonly placed_by: string;
}

type NewHold = [
  accountId: string,
  id: string,
  fromSequence: string,
  toSequence: string | null,
  actorId: string | null,
  owner: HoldOwner,
  placedBy: string,
];

export const createHold = statement<NewHold, never>(
  `/* ledger.create-hold */
INSERT INTO ledger.holds (account_id, id, from_sequence, to_sequence, actor_id, owner, placed_by)
VALUES ($1::text, $2::text, $3::bigint, $4::bigint, $5::text, $6::text, $7::bigint)
`,
  { route: "one account" },
);

/** No row: it was released already. */
export const releaseHold = statement<
  [accountId: string, id: string, releasedBy: string],
  { readonly id: string }
>(
  `/* ledger.release-hold */
UPDATE ledger.holds SET released_by = $3::bigint
WHERE account_id = $1::text AND id = $2::text AND released_by IS NULL
RETURNING id
`,
  { route: "one account" },
);

export const getActiveHold = statement<[accountId: string, id: string], HoldRow>(
  `/* ledger.get-active-hold */
SELECT id, from_sequence, to_sequence, actor_id, owner, placed_by
FROM ledger.holds
WHERE account_id = $1::text AND id = $2::text AND released_by IS NULL
`,
  { route: "one account" },
);

/** Those whose records come before the given one, newest first. */
export const listActiveHolds = statement<
  [accountId: string, beforeRecord: string, limit: number],
  HoldRow
>(
  `/* ledger.list-active-holds */
SELECT id, from_sequence, to_sequence, actor_id, owner, placed_by
FROM ledger.holds
WHERE account_id = $1::text AND released_by IS NULL AND placed_by < $2::bigint
ORDER BY placed_by DESC
LIMIT $3::integer
`,
  { route: "one account" },
);

/** How many holds one owner has: active ones, and with those that were released. */
export const countHolds = statement<
  [accountId: string, owner: HoldOwner],
  { readonly active: number; readonly placed: number }
>(
  `/* ledger.count-holds */
SELECT (count(*) FILTER (WHERE released_by IS NULL))::integer AS active, count(*)::integer AS placed
FROM ledger.holds
WHERE account_id = $1::text AND owner = $2::text
`,
  { route: "one account" },
);

/** Counts the active holds of all accounts, for a metric. */
export const countActiveHolds = statement<[], { readonly active: number }>(
  `/* ledger.count-active-holds */
SELECT count(*)::integer AS active FROM ledger.holds WHERE released_by IS NULL
`,
  { route: "all accounts, read" },
);
