// Keeps how far the scheduled verification of a chain has come.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  sequenceNumber: string,
  hash: string,
  /** Whether that is the head: the chain is valid as a whole. */
  isComplete: boolean,
  secondsToNext: number,
];

export const recordVerification = statement<Params, object>(`/* ledger.record-verification */
UPDATE ledger.verifications SET
  sequence_number = $2::bigint,
  hash = $3::text,
  verified_at = CASE WHEN $4::boolean THEN statement_timestamp() ELSE verified_at END,
  due_at = statement_timestamp() + $5::integer * interval '1 second'
WHERE account_id = $1::text
`);
