// Disables a webhook that has failed for too long: no further attempt begins, as if its owner had disabled
// it. Its deliveries up to the given number are stopped. No row: it is not active, has not failed for that
// long, or was deleted.

import { statement } from "@annals/postgres";

type Params = [now: string, accountId: string, id: string, afterDays: number, stoppedUpTo: string];

export const disableFailing = statement<Params, { readonly id: string }>(
  `/* webhooks.disable-failing */
UPDATE webhooks.webhooks AS webhook SET
  active = false,
  disabled_at = moment.now,
  disabled_reason = 'failing',
  stopped_up_to = $5::bigint
FROM (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now) AS moment
WHERE webhook.account_id = $2::text AND webhook.id = $3::text AND active AND deleted_at IS NULL
  AND moment.now - failing_since >= $4::integer * interval '1 day'
RETURNING webhook.id
`,
  { route: "one account" },
);
