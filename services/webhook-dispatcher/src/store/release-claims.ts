// Releases claimed deliveries unattempted: they are due after a delay, for any replica.

import { statement } from "@annals/postgres";

type Params = [
  now: string | null,
  accountIds: readonly string[],
  webhookIds: readonly string[],
  numbers: readonly string[],
  fences: readonly string[],
  delaysS: readonly number[],
];

export const releaseClaims = statement<
  Params,
  { readonly number: string }
>(`/* webhooks.release-claims */
UPDATE webhooks.deliveries AS delivery
SET leased = false, due_at = coalesce($1::timestamptz, statement_timestamp()) + given.delay_s * interval '1 second'
FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::float8[])
  AS given (account_id, webhook_id, number, fence, delay_s)
WHERE delivery.account_id = given.account_id AND delivery.webhook_id = given.webhook_id
  AND delivery.number = given.number AND delivery.fence = given.fence AND delivery.leased
RETURNING delivery.number
`);
