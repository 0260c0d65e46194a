// The one test of its sinks that an account may have in progress, whichever dispatchers its requests come
// to. Called by worker/sinks.ts. A test whose process was killed ends with its time.

import { statement } from "@annals/postgres";

export interface BegunTest {
  readonly fence: string;
}

/** No row: another test of the account is in progress. */
export const beginSinkTest = statement<[now: string, accountId: string, leaseS: number], BegunTest>(
  `/* webhooks.begin-sink-test */
INSERT INTO webhooks.sink_tests AS kept (account_id, fence, until)
SELECT $2::text, 1, moment.now + $3::integer * interval '1 second'
FROM (SELECT greatest(statement_timestamp(), $1::timestamptz) AS now OFFSET 0) AS moment
ON CONFLICT (account_id) DO UPDATE SET fence = kept.fence + 1, until = excluded.until
WHERE excluded.until - kept.until >= $3::integer * interval '1 second'
RETURNING fence
`,
  { route: "one account" },
);

/** Lets the next test begin, unless it has begun. */
export const endSinkTest = statement<[accountId: string, fence: string], never>(
  `/* webhooks.end-sink-test */
UPDATE webhooks.sink_tests SET until = '1970-01-01Z' WHERE account_id = $1::text AND fence = $2::bigint
`,
  { route: "one account" },
);
