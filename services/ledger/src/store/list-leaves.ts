// The hashes of ranges of events, one range an account, in the order of the chain. A range that lacks an
// event returns fewer rows.

import { statement } from "@annals/postgres";

type Params = [
  accountIds: readonly string[],
  /** The number before each range, and its last one. */
  after: readonly string[],
  to: readonly string[],
];

export interface LeafRow {
  readonly account_id: string;
  readonly hash: Buffer;
}

// The LIMIT makes PostgreSQL look up each range: it takes a chain that it has no statistics of for one event,
// and would read all of it.
export const listLeaves = statement<Params, LeafRow>(
  `/* ledger.list-leaves */
SELECT given.account_id, leaf.hash
FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS given (account_id, after, last)
CROSS JOIN LATERAL (
  SELECT sequence_number, hash
  FROM ledger.events
  WHERE account_id = ANY ($1::text[]) AND account_id = given.account_id
    AND sequence_number > given.after AND sequence_number <= given.last
  ORDER BY sequence_number
  LIMIT given.last - given.after) AS leaf
ORDER BY given.account_id, leaf.sequence_number
`,
  { route: "some accounts" },
);
