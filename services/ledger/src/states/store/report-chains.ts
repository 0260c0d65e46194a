// How far the chains of some accounts reach, and how far each is verified, in any order. No row: the account
// has no chain.

import { statement } from "@annals/postgres";

export interface ChainStateRow {
  readonly account_id: string;
  readonly events: string;
  /** Empty before the first event. */
  readonly newest_event_at: string;
  readonly verified_events: string;
  readonly verified_at: string | null;
  /** Null if none is due now. */
  readonly verification_due_at: string | null;
}

export const reportChains = statement<[accountIds: readonly string[]], ChainStateRow>(
  `/* ledger.report-chains */
SELECT head.account_id, head.sequence_number AS events, head.created_at AS newest_event_at,
  coalesce(verification.sequence_number, 0) AS verified_events,
  to_char(verification.verified_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS verified_at,
  CASE WHEN verification.due_at < statement_timestamp()
    THEN to_char(verification.due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
  END AS verification_due_at
FROM ledger.heads AS head
LEFT JOIN ledger.verifications AS verification
  ON verification.account_id = head.account_id AND verification.account_id = ANY ($1::text[])
WHERE head.account_id = ANY ($1::text[])
`,
  { route: "some accounts" },
);
