// Locks the active webhooks of an account that subscribe to a kind until the transaction ends: disabling one
// waits, and then sees every delivery that was created for it. Their filters are those of the entries after a
// position.

import { statement } from "@annals/postgres";
import type { FilterColumns } from "../../webhooks/rules/filter-history.ts";
import type { Kind } from "../../webhooks/rules/kinds.ts";

type Params = [accountId: string, kind: Kind, patterns: readonly string[], after: bigint];

/** Filters are null for kinds that have none, and earlier ones if none of them acts after the position. */
export interface SubscriberRow extends FilterColumns {
  readonly id: string;
  readonly starts_after: string;
  /** Whether its queue is closed: then no delivery may be stored. */
  readonly is_drained: boolean;
}

export const lockSubscribers = statement<Params, SubscriberRow>(
  `/* webhooks.lock-subscribers */
SELECT id, is_drained, CASE $2::text WHEN 'events' THEN after_events WHEN 'verifications' THEN after_verifications
  WHEN 'exports' THEN after_exports ELSE after_checkpoints END AS starts_after,
  CASE WHEN $2::text = 'events' THEN filter END AS filter, filter_after,
  CASE WHEN $2::text = 'events' AND filter_after > $4::bigint THEN earlier_filters END AS earlier_filters
FROM webhooks.webhooks
WHERE account_id = $1::text AND active AND deleted_at IS NULL AND events && $3::text[]
ORDER BY id
FOR SHARE
`,
  { route: "one account" },
);
