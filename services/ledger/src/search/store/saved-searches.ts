// The searches that accounts keep: what lists, creates, changes and deletes them.

import { statement } from "@annals/postgres";

export interface SavedSearchRow {
  readonly id: string;
  readonly name: string;
  /** JSON objects, as the client sent them. */
  readonly filter: string;
  readonly view: string;
  /** JSON of `NamedField[]`. */
  readonly fields: string;
  readonly has_erased: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

const COLUMNS = "id, name, filter, view, fields, has_erased, created_at, updated_at";

/** Lets one transaction at a time create a search of an account, so that their count and keys are exact. */
export const lockSearches = statement<[accountId: string], never>(
  `/* ledger.lock-searches */
SELECT pg_advisory_xact_lock(hashtextextended('annals.searches ' || $1::text, 0))
`,
  { route: "local" },
);

/** The oldest first. */
export const listSavedSearches = statement<[accountId: string], SavedSearchRow>(
  `/* ledger.list-saved-searches */
SELECT ${COLUMNS} FROM ledger.searches WHERE account_id = $1::text ORDER BY created_at, id
`,
  { route: "one account" },
);

export const countSavedSearches = statement<[accountId: string], { readonly saved: number }>(
  `/* ledger.count-saved-searches */
SELECT count(*)::integer AS saved FROM ledger.searches WHERE account_id = $1::text
`,
  { route: "one account" },
);

type Texts = [name: string, filter: string, view: string, fields: string];

export const createSavedSearch = statement<
  [accountId: string, id: string, ...Texts, createdAt: string],
  never
>(
  `/* ledger.create-saved-search */
INSERT INTO ledger.searches (account_id, id, name, filter, view, fields, created_at, updated_at)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $7::text)
`,
  { route: "one account" },
);

export const lockSavedSearch = statement<[accountId: string, id: string], SavedSearchRow>(
  `/* ledger.lock-saved-search */
SELECT ${COLUMNS} FROM ledger.searches WHERE account_id = $1::text AND id = $2::text FOR UPDATE
`,
  { route: "one account" },
);

export const updateSavedSearch = statement<
  [accountId: string, id: string, ...Texts, hasErased: boolean, updatedAt: string],
  never
>(
  `/* ledger.update-saved-search */
UPDATE ledger.searches
SET name = $3::text, filter = $4::text, view = $5::text, fields = $6::text, has_erased = $7::boolean,
  updated_at = $8::text
WHERE account_id = $1::text AND id = $2::text
`,
  { route: "one account" },
);

/** No row: the account has none with the id. */
export const deleteSavedSearch = statement<
  [accountId: string, id: string],
  { readonly id: string }
>(
  `/* ledger.delete-saved-search */
DELETE FROM ledger.searches WHERE account_id = $1::text AND id = $2::text RETURNING id
`,
  { route: "one account" },
);
