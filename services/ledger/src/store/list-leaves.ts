// The hashes of ranges of events, one range an account, in the order of the chain. A range that lacks an
// event returns fewer hashes, and one without any event no row.

import { statement } from "@annals/postgres";

type Params = [
  accountIds: readonly string[],
  /** The number before each range, and its last one. */
  after: readonly string[],
  to: readonly string[],
];

export interface LeavesRow {
  readonly account_id: string;
  /** Hashes of 32 bytes each. */
  readonly hashes: Buffer;
}

// The GROUP BY makes PostgreSQL look up each range. Joined to its ranges, a chain that is newer than the
// statistics counts as one event, and would be read as a whole.
export const listLeaves = statement<Params, LeavesRow>(
  `/* ledger.list-leaves */
SELECT leaves.account_id, leaves.hashes
FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS given (account_id, after, last)
CROSS JOIN LATERAL (
  SELECT account_id, string_agg(hash, ''::bytea ORDER BY sequence_number) AS hashes
  FROM ledger.events
  WHERE account_id = ANY ($1::text[]) AND account_id = given.account_id
    AND sequence_number > given.after AND sequence_number <= given.last
  GROUP BY account_id) AS leaves
`,
  { route: "some accounts" },
);
