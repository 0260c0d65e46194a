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

// The end of a range is compared after a step: as a condition of the step it would not end the step, which
// would read every later posting of the account.
export const findActions = statement<Params, { readonly action: string }>(
  `/* ledger.find-actions */
WITH RECURSIVE found AS (
  SELECT first.value, asked.before FROM unnest($2::text[], $3::text[]) AS asked (since, before)
  CROSS JOIN LATERAL (
    SELECT value FROM ledger.postings
    WHERE account_id = $1::text AND field = 'action' AND value >= asked.since
    ORDER BY value LIMIT 1
  ) AS first
  WHERE asked.before IS NULL OR first.value < asked.before
  UNION ALL
  SELECT following.value, found.before FROM found CROSS JOIN LATERAL (
    SELECT value FROM ledger.postings
    WHERE account_id = $1::text AND field = 'action' AND value > found.value
    ORDER BY value LIMIT 1
  ) AS following
  WHERE found.before IS NULL OR following.value < found.before
)
SELECT value AS action FROM found LIMIT $4::integer
`,
  { route: "one account" },
);
