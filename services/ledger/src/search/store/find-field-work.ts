// Finds accounts that have a declared field whose backfill is not through, or a deleted one that the index
// still has, among those after the given one: few accounts have any field.

import { statement } from "@annals/postgres";

export interface FieldWorkRow {
  readonly account_id: string;
  /** Fields of the backfill, and how many events it lacks in all of them. */
  readonly building: readonly number[] | null;
  readonly lag: string;
  readonly deleted: readonly number[] | null;
}

export const findFieldWork = statement<[afterAccountId: string, limit: number], FieldWorkRow>(
  `/* ledger.find-field-work */
SELECT account_id,
  array_to_json(array_agg(field ORDER BY field) FILTER (WHERE deleted_at IS NULL AND from_base > 0)) AS building,
  coalesce(sum(from_base) FILTER (WHERE deleted_at IS NULL), 0) AS lag,
  array_to_json(array_agg(field ORDER BY field) FILTER (WHERE deleted_at IS NOT NULL AND path <> '{}')) AS deleted
FROM ledger.fields
WHERE account_id > $1::text AND (deleted_at IS NULL AND from_base > 0 OR deleted_at IS NOT NULL AND path <> '{}')
GROUP BY account_id
ORDER BY account_id
LIMIT $2::integer
`,
  { route: "all accounts, read" },
);
