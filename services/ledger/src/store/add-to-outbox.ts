// Adds an entry to an account's outbox, in one statement. The row of the outbox's head is locked until the
// commit, so that positions have no gaps and nobody sees a position before the one below it.

import { statement } from "@annals/postgres";

type Params = [accountId: string, eventName: string, data: string, createdAt: string];

export const addToOutbox = statement<
  Params,
  { readonly position: string }
>(`/* ledger.add-to-outbox */
WITH moved AS (
  INSERT INTO ledger.outbox_heads AS head (account_id, position) VALUES ($1::text, 1)
  ON CONFLICT (account_id) DO UPDATE SET position = head.position + 1
  RETURNING position
)
INSERT INTO ledger.outbox (account_id, position, event_name, data, created_at)
SELECT $1::text, position, $2::text, $3::text, $4::text FROM moved
RETURNING position
`);
