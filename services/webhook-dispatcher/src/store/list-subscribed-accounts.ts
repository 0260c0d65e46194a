// The accounts with an active webhook, by id from after a given one, each with its cursors.

import { statement } from "@annals/postgres";

type Params = [afterAccountId: string, limit: number];

export interface SubscribedAccountRow {
  readonly account_id: string;
  readonly events: string;
  readonly verifications: string;
  readonly exports: string;
}

export const listSubscribedAccounts = statement<
  Params,
  SubscribedAccountRow
>(`/* webhooks.list-subscribed-accounts */
SELECT subscribed.account_id,
  coalesce(max(position) FILTER (WHERE kind = 'events'), 0) AS events,
  coalesce(max(position) FILTER (WHERE kind = 'verifications'), 0) AS verifications,
  coalesce(max(position) FILTER (WHERE kind = 'exports'), 0) AS exports
FROM (
  SELECT DISTINCT account_id
  FROM webhooks.webhooks
  WHERE active AND deleted_at IS NULL AND account_id > $1::text
  ORDER BY account_id
  LIMIT $2::integer) AS subscribed
LEFT JOIN webhooks.cursors USING (account_id)
GROUP BY subscribed.account_id
ORDER BY subscribed.account_id
`);
