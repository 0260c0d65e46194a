// Releases claimed deliveries unattempted: they are due after a delay, for any replica. A delivery without a
// delay keeps its turn in the queue. An attempt that its claim has counted no longer counts.

import { statement } from "@annals/postgres";
import { joinPlace } from "./delivery-place.ts";

type Params = [
  now: string,
  /** Accounts of all claims, each once and sorted: PostgreSQL sorts them for each row that it looks up. */
  accountIds: readonly string[],
  accountIdOfEach: readonly string[],
  webhookIds: readonly string[],
  /** Time at which each was due when it was claimed. */
  dueAts: readonly string[],
  numbers: readonly string[],
  fences: readonly string[],
  delaysS: readonly number[],
];

export const releaseClaims = statement<Params, { readonly number: string }>(
  `/* webhooks.release-claims */
UPDATE webhooks.deliveries AS delivery
SET leased_until = NULL, is_counted = false,
  attempts = delivery.attempts - CASE WHEN delivery.is_counted THEN 1 ELSE 0 END,
  due_at = CASE WHEN given.delay_s = 0 AND NOT delivery.is_counted THEN delivery.due_at
    ELSE to_timestamp(moment.epoch + given.delay_s) END
FROM unnest($3::text[], $4::text[], $5::timestamptz[], $6::bigint[], $7::bigint[], $8::float8[])
  AS given (account_id, webhook_id, due_at, number, fence, delay_s)
CROSS JOIN (SELECT extract(epoch FROM greatest(statement_timestamp(), $1::timestamptz))::float8 AS epoch OFFSET 0) AS moment
${joinPlace("$2")}
WHERE delivery.account_id = ANY ($2::text[]) AND delivery.account_id = given.account_id
  AND delivery.ctid = queued.place AND delivery.number = given.number
  AND delivery.fence = given.fence AND delivery.leased_until IS NOT NULL
RETURNING delivery.number
`,
  { route: "some accounts" },
);
