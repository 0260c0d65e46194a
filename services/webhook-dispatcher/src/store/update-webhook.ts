// Changes a webhook that the transaction has locked. Where it is disabled, its deliveries so far are stopped:
// no attempt begins any more. Where it begins to subscribe to a kind, it receives what lies after the given
// position; null keeps the earlier position. Where the client activates it, also again, the days after which
// it is disabled begin anew. They do with another URL, too, which has taken no delivery yet.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  id: string,
  url: string,
  events: readonly string[],
  active: boolean,
  afterEvents: bigint | null,
  afterVerifications: bigint | null,
  afterExports: bigint | null,
  activates: boolean,
  /** The id of a key. */
  updatedBy: string | null,
  /** Where it is not active, all of its deliveries have smaller numbers. */
  nextNumber: string,
];

export const updateWebhook = statement<Params, never>(`/* webhooks.update-webhook */
UPDATE webhooks.webhooks SET
  url = $3::text,
  events = $4::text[],
  active = $5::boolean,
  updated_by = $10::text,
  first_success_at = CASE WHEN url = $3::text THEN first_success_at END,
  failing_since = CASE WHEN NOT $9::boolean AND url = $3::text THEN failing_since END,
  disabled_at = CASE WHEN NOT $9::boolean THEN disabled_at END,
  disabled_reason = CASE WHEN NOT $9::boolean THEN disabled_reason END,
  after_events = coalesce($6::bigint, after_events),
  after_verifications = coalesce($7::bigint, after_verifications),
  after_exports = coalesce($8::bigint, after_exports),
  stopped_up_to = CASE WHEN $5::boolean THEN stopped_up_to ELSE $11::bigint END
WHERE account_id = $1::text AND id = $2::text
`);
