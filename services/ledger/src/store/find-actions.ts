// The actions within some ranges that an account's indexed events have. Each takes one step in the primary
// key of the postings, however many events have it. Of ranges that do not overlap, each action is found once.

import { statement } from "@annals/postgres";

type Params = [
  accountId: string,
  /** First ends of the ranges, which are included, and second ends, which are not; null: no end. */
  from: readonly string[],
  to: readonly (string | null)[],
  limit: number,
];

export const findActions = statement<Params, { readonly action: string }>(
  `/* ledger.find-actions */
WITH RECURSIVE found AS (
  SELECT first.value, asked.before FROM unnest($2::text[], $3::text[]) AS asked (since, before)
  CROSS JOIN LATERAL (
    SELECT value FROM ledger.postings
    WHERE account_id = $1::text AND field = 'action'
      AND value >= asked.since AND (asked.before IS NULL OR value < asked.before)
    ORDER BY value LIMIT 1
  ) AS first
  UNION ALL
  SELECT following.value, found.before FROM found CROSS JOIN LATERAL (
    SELECT value FROM ledger.postings
    WHERE account_id = $1::text AND field = 'action'
      AND value > found.value AND (found.before IS NULL OR value < found.before)
    ORDER BY value LIMIT 1
  ) AS following
)
SELECT value AS action FROM found LIMIT $4::integer
`,
  { route: "one account" },
);
