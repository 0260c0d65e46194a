// Finds the given idempotency keys that are in use. They are read under the head's lock, so that the response
// stays valid.

import { statement } from "@annals/postgres";

type Params = [accountId: string, idempotencyKeys: readonly string[], hours: number];

export interface IdempotencyRow {
  readonly idempotency_key: string;
  readonly request_sha256: Buffer;
  readonly first_sequence_number: string;
  readonly event_count: number;
}

export const findIdempotencyKeys = statement<Params, IdempotencyRow>(
  `/* ledger.find-idempotency-keys */
SELECT idempotency_key, request_sha256, first_sequence_number, event_count
FROM ledger.idempotency_keys
WHERE account_id = $1::text
  AND idempotency_key = ANY ($2::text[])
  AND created_at > now() - $3::integer * interval '1 hour'
`,
  { route: "one account" },
);
