// The events of an erasure that only archives have: what the request takes, which numbers are of deleted
// events, and how far the report is. Called by report-matches.ts and request-erasure.ts.

import { statement } from "@annals/postgres";
import type { ErasableRow } from "./erase.ts";
import type { ErasureStatus } from "./erasures.ts";

export interface ReportedErasureRow {
  /** Null once it has ended. */
  readonly selector: string | null;
  readonly parts: number;
  readonly reference: string | null;
  readonly actor: string;
  readonly status: ErasureStatus;
  readonly up_to_sequence: string;
  /** The last number that was reported. */
  readonly reported_through: string;
  /** Events that are erased or held. */
  readonly counted: string;
  /** Whether it waits for the export service. */
  readonly awaits_exports: boolean;
}

export const getReportedErasure = statement<[accountId: string, id: string], ReportedErasureRow>(
  `/* ledger.get-reported-erasure */
SELECT selector, parts, reference, actor, status, up_to_sequence, reported_through, erased + held AS counted,
  status = 'running' AND done_at IS NOT NULL AND exports_cleared_at IS NULL AS awaits_exports
FROM ledger.erasures
WHERE account_id = $1::text AND id = $2::text
`,
  { route: "one account" },
);

/**
 * Ascending: those of the numbers whose events retention has deleted. Their actors are gone, so each hold of
 * their range covers them. Records are left out while their leaves are there.
 */
export const listDeletedMatches = statement<
  [accountId: string, numbers: readonly number[]],
  ErasableRow
>(
  `/* ledger.list-deleted-matches */
SELECT asked.number AS sequence_number, (
    SELECT min(id) FROM ledger.holds
    WHERE holds.account_id = $1::text AND released_by IS NULL
      AND asked.number >= holds.from_sequence
      AND (holds.to_sequence IS NULL OR asked.number <= holds.to_sequence)
  ) AS hold
FROM ledger.lifecycles
JOIN unnest($2::bigint[]) AS asked (number) ON asked.number <= lifecycles.deleted_through
LEFT JOIN LATERAL (
  SELECT action FROM ledger.events
  WHERE account_id = $1::text AND sequence_number = asked.number
  LIMIT 1
) AS event ON true
WHERE lifecycles.account_id = $1::text
  AND (event.action IS NULL
    OR event.action NOT IN ('annals.clock', 'annals.erasure', 'annals.hold', 'annals.retention'))
ORDER BY asked.number
`,
  { route: "one account" },
);

type Advance = [
  accountId: string,
  id: string,
  reportedThrough: string,
  /** Stored events that were changed: their old rows are still in the files. */
  erased: string,
  /** Deleted events that the record names. */
  deleted: number,
  held: number,
  /** The number of the record; 0 without one. */
  record: string,
];

/**
 * Call it in the transaction of a batch. No row: the request does not wait for the export service. Citus
 * refuses a CASE with a function that is not immutable, so a subquery calls it.
 */
export const advanceReport = statement<Advance, { readonly id: string }>(
  `/* ledger.advance-report */
UPDATE ledger.erasures
SET reported_through = greatest(reported_through, $3::bigint), erased = erased + $4::bigint + $5::bigint,
  held = held + $6::bigint, last_record = greatest(last_record, $7::bigint),
  last_xid = CASE WHEN $4::bigint > 0 THEN running.xid ELSE last_xid END,
  vacuumed_at = CASE WHEN $4::bigint = 0 THEN vacuumed_at END
FROM (SELECT pg_current_xact_id()::text::bigint AS xid OFFSET 0) AS running
WHERE account_id = $1::text AND id = $2::text AND status = 'running' AND done_at IS NOT NULL
  AND exports_cleared_at IS NULL
RETURNING id
`,
  { route: "one account" },
);
