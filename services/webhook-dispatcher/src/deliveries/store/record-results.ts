// Stores the results of attempts, each only if its claim is still the last: a process that was too slow
// changes nothing. A retry becomes due after its delay, counted from now, which is after the end of the
// attempt. A finished delivery loses its body. Returns the changed rows, and for each whether the result
// changes what is known of the webhook (the first failure or the first success), or is a failure after too
// many days.

import { statement } from "@annals/postgres";
import { joinPlace } from "./delivery-place.ts";

type Params = [
  now: string,
  retryDelaysS: readonly number[],
  /** Accounts of all results, each once and sorted: PostgreSQL sorts them for each row that it looks up. */
  accountIds: readonly string[],
  accountIdOfEach: readonly string[],
  webhookIds: readonly string[],
  /** Time at which each was due when it was claimed. */
  dueAts: readonly string[],
  numbers: readonly string[],
  fences: readonly string[],
  successes: readonly boolean[],
  statusCodes: readonly (number | null)[],
  /** Days of failure after which a webhook is disabled; 0: never. */
  disableAfterDays: number,
  /** URLs that the attempts were sent to. */
  urls: readonly string[],
  /** Why each attempt failed; null for a success. */
  failures: readonly (string | null)[],
];

export interface ResultRow {
  readonly account_id: string;
  readonly webhook_id: string;
  readonly success: boolean;
  readonly url: string;
  readonly changes_health: boolean;
  /** Whether the webhook has failed for too many days. */
  readonly is_dead: boolean;
}

// For the LIMIT of the webhook see claim-deliveries.ts. What changes a delivery meanwhile
// gives it a new place, and ends the claim: its result is not stored. The time is in the CTE, because a
// distributed PostgreSQL returns no clock (moment.ts): with the time outside the CTE, it ran both by
// themselves, one after the other.
export const recordResults = statement<Params, ResultRow>(
  `/* webhooks.record-results */
WITH result AS MATERIALIZED (
  SELECT given.*, queued.place, queued.attempted, moment.now, moment.epoch, webhook.active, webhook.failing_since,
    webhook.first_success_at IS NULL AND webhook.url = given.url AS is_first,
    CASE WHEN NOT given.success AND webhook.active AND given.number > webhook.stopped_up_to
      THEN $2::float8[] ELSE '{}' END AS delays
  FROM unnest($4::text[], $5::text[], $6::timestamptz[], $7::bigint[], $8::bigint[], $9::boolean[], $10::integer[],
    $12::text[], $13::text[])
    AS given (account_id, webhook_id, due_at, number, fence, success, status_code, url, failure)
  CROSS JOIN (
    SELECT greatest(statement_timestamp(), $1::timestamptz) AS now,
      extract(epoch FROM greatest(statement_timestamp(), $1::timestamptz))::float8 AS epoch) AS moment
  CROSS JOIN LATERAL (
    SELECT active, failing_since, first_success_at, stopped_up_to, url
    FROM webhooks.webhooks
    WHERE account_id = ANY ($3::text[]) AND account_id = given.account_id AND id = given.webhook_id
    LIMIT 1) AS webhook
  ${joinPlace("$3")}
)
UPDATE webhooks.deliveries AS delivery
SET attempts = result.attempted,
  succeeded = result.success,
  is_counted = false,
  status_code = result.status_code,
  failure = result.failure,
  attempted_at = result.now,
  leased_until = NULL,
  due_at = to_timestamp(result.epoch + result.delays[result.attempted]),
  body = CASE WHEN result.delays[result.attempted] IS NOT NULL THEN delivery.body END
FROM result
WHERE delivery.account_id = ANY ($3::text[]) AND delivery.account_id = result.account_id
  AND delivery.ctid = result.place AND delivery.number = result.number
  AND delivery.fence = result.fence AND delivery.leased_until IS NOT NULL
RETURNING delivery.account_id, delivery.webhook_id, result.success, result.url,
  CASE WHEN result.success THEN result.failing_since IS NOT NULL OR result.is_first
    ELSE result.failing_since IS NULL END AS changes_health,
  NOT result.success AND result.active AND $11::integer > 0 AND result.failing_since IS NOT NULL
    AND result.now - result.failing_since >= $11::integer * interval '1 day' AS is_dead
`,
  { route: "some accounts" },
);
