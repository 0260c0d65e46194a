// How far the scheduled verification of some chains is, in the order of the accounts' ids, so that the worker
// can go from account to account. Chains without an event are left out.

import { statement } from "@annals/postgres";

type Params = [afterAccountId: string, limit: number];

export interface VerificationWorkRow {
  readonly account_id: string;
  readonly head: string;
  /** Seconds since the chain was last found valid up to its head; null before the first time. */
  readonly age_s: number | null;
  /** Seconds since the verification was due; negative before. */
  readonly overdue_s: number;
}

export const findVerificationWork = statement<Params, VerificationWorkRow>(
  `/* ledger.find-verification-work */
SELECT heads.account_id, heads.sequence_number AS head,
  extract(epoch FROM statement_timestamp() - verified_at)::double precision AS age_s,
  coalesce(extract(epoch FROM statement_timestamp() - due_at), 0)::double precision AS overdue_s
FROM (
  SELECT account_id, sequence_number FROM ledger.heads
  WHERE account_id > $1::text AND sequence_number > 0
  ORDER BY account_id
  LIMIT $2::integer
) AS heads
LEFT JOIN ledger.verifications USING (account_id)
ORDER BY heads.account_id
`,
  { route: "all accounts, read" },
);
