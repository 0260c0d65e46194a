// The actions within a range that an account's indexed events have, in order. Each takes one step in the
// primary key of the postings, however many events have it.

import { statement } from "@annals/postgres";

type Params = [accountId: string, from: string, to: string | null, limit: number];

export const findActions = statement<Params, { readonly action: string }>(
  `/* ledger.find-actions */
WITH RECURSIVE found AS (
  (SELECT value FROM ledger.postings
    WHERE account_id = $1::text AND field = 'action'
      AND value >= $2::text AND ($3::text IS NULL OR value < $3::text)
    ORDER BY value LIMIT 1)
  UNION ALL
  SELECT following.value FROM found CROSS JOIN LATERAL (
    SELECT value FROM ledger.postings
    WHERE account_id = $1::text AND field = 'action'
      AND value > found.value AND ($3::text IS NULL OR value < $3::text)
    ORDER BY value LIMIT 1
  ) AS following
)
SELECT value AS action FROM found LIMIT $4::integer
`,
  { route: "one account" },
);
