// The fields that accounts have declared for their filters: what declares and deletes them.

import { statement } from "@annals/postgres";

interface KeptRow {
  readonly field: number;
  readonly name: string;
  readonly is_deleted: boolean;
}

/** With those that were deleted, whose numbers are never used again. */
export const listKeptFields = statement<[accountId: string], KeptRow>(
  `/* ledger.list-kept-fields */
SELECT field, name, deleted_at IS NOT NULL AS is_deleted FROM ledger.fields WHERE account_id = $1::text
`,
  { route: "one account" },
);

export const createSearchField = statement<
  [
    accountId: string,
    field: number,
    name: string,
    path: readonly string[],
    type: string,
    ignoreCase: boolean,
    /** The first number that is not in the index yet, less one. */
    fromBase: string,
    createdAt: string,
  ],
  never
>(
  `/* ledger.create-search-field */
INSERT INTO ledger.fields (account_id, field, name, path, type, ignore_case, from_base, made_from, created_at)
VALUES ($1::text, $2::smallint, $3::text, $4::text[], $5::text, $6::boolean, $7::bigint, $7::bigint, $8::text)
`,
  { route: "one account" },
);

export const deleteSearchField = statement<
  [accountId: string, field: number, deletedAt: string],
  { readonly field: number }
>(
  `/* ledger.delete-search-field */
UPDATE ledger.fields SET deleted_at = $3::text
WHERE account_id = $1::text AND field = $2::smallint AND deleted_at IS NULL
RETURNING field
`,
  { route: "one account" },
);
