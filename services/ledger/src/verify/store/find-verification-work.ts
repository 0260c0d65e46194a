// How far the scheduled verification of some chains is, in the order of the accounts' ids, so that the worker
// can go from account to account. Chains without an event are left out, but not a chain that was found valid
// once and has no head since.

import { statement } from "@annals/postgres";

type Params = [afterAccountId: string, limit: number];

export interface VerificationWorkRow {
  readonly account_id: string;
  /** Zero if the head was deleted. */
  readonly head: string;
  /** Seconds since the chain was last found valid up to its head; null before the first time. */
  readonly age_s: number | null;
  /** Seconds since the verification was due; negative before. */
  readonly overdue_s: number;
}

export const findVerificationWork = statement<Params, VerificationWorkRow>(
  `/* ledger.find-verification-work */
SELECT account_id, coalesce(heads.sequence_number, 0) AS head,
  extract(epoch FROM statement_timestamp() - verified_at)::double precision AS age_s,
  coalesce(extract(epoch FROM statement_timestamp() - due_at), 0)::double precision AS overdue_s
FROM (
  (
    SELECT account_id FROM ledger.heads
    WHERE account_id > $1::text AND sequence_number > 0
    ORDER BY account_id
    LIMIT $2::integer
  ) UNION (
    SELECT account_id FROM ledger.verifications
    WHERE account_id > $1::text AND sequence_number > 0
    ORDER BY account_id
    LIMIT $2::integer
  )
  ORDER BY account_id
  LIMIT $2::integer
) AS chains
LEFT JOIN ledger.heads USING (account_id)
LEFT JOIN ledger.verifications USING (account_id)
ORDER BY account_id
`,
  { route: "all accounts, read" },
);
