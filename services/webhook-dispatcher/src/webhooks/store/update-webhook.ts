// Changes a webhook that the transaction has locked. If it is disabled, its deliveries so far are stopped: no
// further attempt begins. If it begins to subscribe to a kind, it receives the entries after the given
// position; null keeps the earlier position. If the client activates it, even if it was active, the days
// after which it is disabled are counted anew. So they are if it gets a new URL, which has not taken a
// delivery yet.

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
  afterCheckpoints: bigint | null,
  activates: boolean,
  /** The id of the key that changed it. */
  updatedBy: string | null,
  /** Number above those of all its deliveries, if it is not active. */
  nextNumber: string,
  filter: string | null,
  filterAfter: string,
  earlierFilters: string | null,
];

export const updateWebhook = statement<Params, never>(
  `/* webhooks.update-webhook */
UPDATE webhooks.webhooks SET
  url = $3::text,
  events = $4::text[],
  active = $5::boolean,
  updated_by = $11::text,
  first_success_at = CASE WHEN url = $3::text THEN first_success_at END,
  failing_since = CASE WHEN NOT $10::boolean AND url = $3::text THEN failing_since END,
  disabled_at = CASE WHEN NOT $10::boolean THEN disabled_at END,
  disabled_reason = CASE WHEN NOT $10::boolean THEN disabled_reason END,
  after_events = coalesce($6::bigint, after_events),
  after_verifications = coalesce($7::bigint, after_verifications),
  after_exports = coalesce($8::bigint, after_exports),
  after_checkpoints = coalesce($9::bigint, after_checkpoints),
  stopped_up_to = CASE WHEN $5::boolean THEN stopped_up_to ELSE $12::bigint END,
  filter = $13::text,
  filter_after = $14::bigint,
  earlier_filters = $15::text
WHERE account_id = $1::text AND id = $2::text
`,
  { route: "one account" },
);
