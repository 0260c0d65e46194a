// Records since when a webhook has failed, and when it took its first delivery. Called with the results of
// attempts, and only if they change something.

import { statement } from "@annals/postgres";

type Params = [
  now: string,
  accountId: string,
  id: string,
  /** Whether an attempt of the webhook was successful. */
  success: boolean,
  /** URL that the attempt was sent to: a success at an earlier URL does not count for the present one. */
  url: string,
];

export const noteHealth = statement<Params, never>(
  `/* webhooks.note-health */
UPDATE webhooks.webhooks AS webhook SET
  first_success_at = CASE WHEN $4::boolean AND url = $5::text
    THEN coalesce(first_success_at, moment.now) ELSE first_success_at END,
  failing_since = CASE WHEN NOT $4::boolean THEN coalesce(failing_since, moment.now) END
FROM (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now OFFSET 0) AS moment
WHERE webhook.account_id = $2::text AND webhook.id = $3::text AND deleted_at IS NULL
`,
  { route: "one account" },
);
