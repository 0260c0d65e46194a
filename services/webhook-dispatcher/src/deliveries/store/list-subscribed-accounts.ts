// The accounts with an active webhook, by id after a given one. Each has its cursors of the kinds that one of
// its webhooks subscribes to; the other cursors are null.

import { statement } from "@annals/postgres";

type Params = [
  afterAccountId: string,
  limit: number,
  patternsOfEvents: readonly string[],
  patternsOfVerifications: readonly string[],
  patternsOfExports: readonly string[],
];

export interface SubscribedAccountRow {
  readonly account_id: string;
  readonly events: string | null;
  readonly verifications: string | null;
  readonly exports: string | null;
}

export const listSubscribedAccounts = statement<Params, SubscribedAccountRow>(
  `/* webhooks.list-subscribed-accounts */
SELECT subscribed.account_id,
  max(position) FILTER (WHERE kind = 'events' AND events) AS events,
  max(position) FILTER (WHERE kind = 'verifications' AND verifications) AS verifications,
  max(position) FILTER (WHERE kind = 'exports' AND exports) AS exports
FROM (
  SELECT account_id, bool_or(events && $3::text[]) AS events, bool_or(events && $4::text[]) AS verifications,
    bool_or(events && $5::text[]) AS exports
  FROM webhooks.webhooks
  WHERE active AND deleted_at IS NULL AND account_id > $1::text
  GROUP BY account_id
  ORDER BY account_id
  LIMIT $2::integer) AS subscribed
JOIN webhooks.cursors USING (account_id)
GROUP BY subscribed.account_id
ORDER BY subscribed.account_id
`,
  { route: "all accounts, read" },
);
