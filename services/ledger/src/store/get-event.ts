// One event of an account by its sequence number.

import { statement } from "@annals/postgres";
import type { EventRow } from "./event-row.ts";

type Params = [accountId: string, sequenceNumber: string];

export const getEvent = statement<Params, EventRow>(`/* ledger.get-event */
SELECT chain.sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
  actor, context, diff, metadata, target, salts
FROM ledger.chain
JOIN ledger.payloads USING (account_id, sequence_number)
WHERE chain.account_id = $1::text AND chain.sequence_number = $2::bigint
`);
