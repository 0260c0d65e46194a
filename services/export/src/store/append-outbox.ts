// Appends an entry to an account's outbox, at the position after the last, and returns that
// position. `lockOutbox` must come before it in the same transaction: only then are positions
// gapless and in the order of the commits.

import { statement } from "@annals/postgres";

// The first number keeps these locks apart from other advisory locks of the server; any constant serves.
export const lockOutbox = statement<[accountId: string], never>(`/* exports.lock-outbox */
SELECT pg_advisory_xact_lock(720311408, hashtext($1::text))
`);

type Params = [accountId: string, eventName: string, data: string, createdAt: string];

export const appendOutbox = statement<
  Params,
  { readonly position: string }
>(`/* exports.append-outbox */
INSERT INTO exports.outbox (account_id, position, event_name, data, created_at)
SELECT $1::text, coalesce(max(position), 0) + 1, $2::text, $3::text, $4::text
FROM exports.outbox WHERE account_id = $1::text
RETURNING position
`);
