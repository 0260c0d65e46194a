// The position of an account's cursor of a kind, and the lowest position that one of its active subscribers
// starts after: null without a subscriber. No webhook receives entries below both. No row: the account has
// never had a webhook.

import { statement } from "@annals/postgres";
import type { Kind } from "../../webhooks/rules/kinds.ts";

type Params = [accountId: string, kind: Kind, patterns: readonly string[]];

export interface CursorRow {
  readonly position: string;
  readonly starts_after: string | null;
  readonly subscribers: number;
  /** Subscribers to all entries whose queue is closed; null without any. */
  readonly drained_ids: readonly string[] | null;
}

export const readCursor = statement<Params, CursorRow>(
  `/* webhooks.read-cursor */
SELECT cursor.position, count(webhook.id)::integer AS subscribers,
  array_agg(webhook.id) FILTER (WHERE is_drained AND (cursor.kind <> 'events' OR filter IS NULL)) AS drained_ids,
  min(CASE cursor.kind WHEN 'events' THEN after_events WHEN 'verifications' THEN after_verifications
    WHEN 'exports' THEN after_exports ELSE after_checkpoints END) AS starts_after
FROM webhooks.cursors AS cursor
LEFT JOIN webhooks.webhooks AS webhook ON webhook.account_id = $1::text
  AND webhook.active AND webhook.deleted_at IS NULL AND webhook.events && $3::text[]
WHERE cursor.account_id = $1::text AND cursor.kind = $2::text
GROUP BY cursor.position, cursor.kind
`,
  { route: "one account" },
);
