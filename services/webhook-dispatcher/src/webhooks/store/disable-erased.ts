// Disables a webhook whose filter would leave out less, because an erasure has taken a value out of it. The
// transaction has locked it. Its deliveries up to the given number are stopped.

import { statement } from "@annals/postgres";

type Params = [accountId: string, id: string, stoppedUpTo: string];

export const disableErased = statement<Params, never>(
  `/* webhooks.disable-erased */
UPDATE webhooks.webhooks SET
  active = false,
  disabled_at = statement_timestamp(),
  disabled_reason = 'erasure',
  stopped_up_to = $3::bigint
WHERE account_id = $1::text AND id = $2::text AND active AND deleted_at IS NULL
`,
  { route: "one account" },
);
