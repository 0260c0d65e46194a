// Takes a chain that is due for its scheduled verification, for the time of a lease. No row: another replica
// has it, or it is no longer due.

import { statement } from "@annals/postgres";

type Params = [accountId: string, leaseSeconds: number];

export interface ClaimedRow {
  /** The last event that was found valid; 0 before the first. */
  readonly sequence_number: string;
  readonly hash: string;
  /** Number of chunks of the filter index, from the first, that have been compared since they were sealed. */
  readonly chunks: string;
}

// It is due if it was due before the lease would begin. A distributed PostgreSQL takes no clock in that
// WHERE.
export const claimVerification = statement<Params, ClaimedRow>(
  `/* ledger.claim-verification */
INSERT INTO ledger.verifications AS kept (account_id, sequence_number, hash, due_at)
VALUES ($1::text, 0, '', statement_timestamp() + $2::integer * interval '1 second')
ON CONFLICT (account_id) DO UPDATE SET due_at = excluded.due_at
WHERE kept.account_id = $1::text AND excluded.due_at - kept.due_at >= $2::integer * interval '1 second'
RETURNING sequence_number, hash, chunks
`,
  { route: "one account" },
);
