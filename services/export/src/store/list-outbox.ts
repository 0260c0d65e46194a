// The entries of an account's outbox after a position, in order.

import { statement } from "@annals/postgres";

type Params = [accountId: string, afterPosition: string, limit: number];

export interface OutboxRow {
  readonly position: string;
  readonly event_name: string;
  readonly data: string;
  readonly created_at: string;
}

export const listOutbox = statement<Params, OutboxRow>(`/* exports.list-outbox */
SELECT position, event_name, data, created_at
FROM exports.outbox
WHERE account_id = $1::text AND position > $2::bigint
ORDER BY position
LIMIT $3::integer
`);
