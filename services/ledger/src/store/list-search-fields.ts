// The fields that an account has declared for its filters, the oldest first.

import { statement } from "@annals/postgres";

export interface FieldRow {
  readonly field: number;
  readonly name: string;
  readonly path: readonly string[];
  readonly type: string;
  readonly ignore_case: boolean;
  /** The segments from this base on have blocks of the field. */
  readonly from_base: string;
  readonly created_at: string;
  /** Events of the segment that was measured, bytes of its blocks, and events under the key of all. */
  readonly measured_events: number | null;
  readonly measured_bytes: number | null;
  readonly uncounted: number | null;
  /** The last event that retention has deleted. */
  readonly deleted: string;
}

export const listSearchFields = statement<[accountId: string], FieldRow>(
  `/* ledger.list-search-fields */
SELECT field, name, path, type, ignore_case, from_base, created_at, measured_events, measured_bytes, uncounted,
  (SELECT coalesce(max(deleted_through), 0) FROM ledger.lifecycles WHERE account_id = $1::text) AS deleted
FROM ledger.fields
WHERE account_id = $1::text AND deleted_at IS NULL
ORDER BY field
`,
  { route: "one account" },
);
